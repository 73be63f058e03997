/** Short messages at the edge of the page. */
import { signal } from '@preact/signals'

export interface Notice {
  readonly id: number
  readonly tone: 'info' | 'ok' | 'warning' | 'error'
  readonly text: string
}

export const notices = signal<readonly Notice[]>([])
let next = 1
const SHOWN_MS = 6000

export function notify(text: string, tone: Notice['tone'] = 'info'): void {
  const notice = { id: next++, tone, text }
  notices.value = [...notices.value.slice(-3), notice]
  if (tone !== 'error') setTimeout(() => dismiss(notice.id), SHOWN_MS)
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((each) => each.id !== id)
}

/** Does something and says what went wrong; resolves with undefined then. */
export async function attempt<T>(work: () => Promise<T>, done?: string): Promise<T | undefined> {
  try {
    const result = await work()
    if (done !== undefined) notify(done, 'ok')
    return result
  } catch (error) {
    notify((error as Error).message, 'error')
    return undefined
  }
}
