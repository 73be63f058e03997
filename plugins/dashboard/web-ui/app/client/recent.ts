/** The chats used last, for the sidebar and the palette. */
import { signal } from '@preact/signals'
import { rpc } from './rpc.ts'

export interface SessionRow {
  readonly id: string
  readonly title: string | null
  readonly preview?: string | null
  readonly source: string
  readonly started_at: number
  readonly last_active: number
  readonly message_count: number
  readonly archived?: boolean
}

export const recent = signal<readonly SessionRow[]>([])

export async function refreshRecent(): Promise<void> {
  try {
    recent.value = (await rpc.call<{ sessions: readonly SessionRow[] }>('session.list', { limit: 50 })).sessions
  } catch {
    // The next connect reads them again.
  }
}
