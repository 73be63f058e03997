/** Removes a folder that a test is done with, while programs that were told to end may still be writing their last files. */
import { rmSync } from 'node:fs'

export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}
