/** The chats used last, for the sidebar and the palette. */
import { signal } from '@preact/signals'
import { type AnswerOf, call } from './typed.ts'

export type SessionRow = AnswerOf<'session.list'>['sessions'][number]

export const recent = signal<readonly SessionRow[]>([])

export async function refreshRecent(): Promise<void> {
  try {
    recent.value = (await call('session.list', { limit: 50 })).sessions
  } catch {
    // The next connect reads them again.
  }
}
