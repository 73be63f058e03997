/**
 * Gives every wait of a test at least twenty seconds: on a busy machine a second, or five, proves nothing, and a wait that
 * succeeds takes no longer for it. A test that names a longer time keeps it. Loaded by `vitest.config.ts` before each file.
 */
import { expect, vi } from 'vitest'

const TIMEOUT_MS = 20_000

const { waitFor, waitUntil } = vi
vi.waitFor = (callback, options) => waitFor(callback, patient(options))
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options))

const { poll } = expect
expect.poll = ((callback, options) => poll(callback, patient(options))) as typeof poll

interface Wait {
  readonly timeout?: number
  readonly interval?: number
}

function patient(options: number | Wait = {}): Wait {
  const wait = typeof options === 'number' ? { timeout: options } : options
  return { ...wait, timeout: Math.max(wait.timeout ?? 0, TIMEOUT_MS) }
}
