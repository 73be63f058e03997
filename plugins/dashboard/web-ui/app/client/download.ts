/** Saves what a route sends as a file of the user. */
import { send } from './api.ts'
import { withTicket } from './session.ts'

export async function download(path: string, name: string): Promise<void> {
  const blob = await (await send('GET', path, {})).blob()
  save(blob, name)
}

export function save(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** The browser stores it as it comes, so that a large file is not in memory. `path` is that of a route for downloads. */
export async function downloadLarge(path: string, name: string): Promise<void> {
  const link = document.createElement('a')
  link.href = await withTicket(path)
  link.download = name
  link.click()
}
