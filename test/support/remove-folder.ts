/** Removes a folder that a test no longer needs, while programs that were told to end may still be writing into it. */
import { rmSync } from 'node:fs'

const ATTEMPTS = 100
const PAUSE_MS = 100

/**
 * Tries again from the start for about ten seconds. The retries of `rmSync` alone are not enough: they repeat the
 * `rmdir` that failed, without removing what was written into the folder since it was listed.
 */
export function removeFolder(path: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      rmSync(path, { recursive: true, force: true })
      return
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  }
}
