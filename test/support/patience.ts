/**
 * Gives every wait of a test more than vitest's one second: on a busy machine a second proves nothing, and a wait that
 * succeeds takes no longer for it. Loaded by `vitest.config.ts` before each file.
 */
import { vi } from 'vitest'

const TIMEOUT_MS = 15_000

const { waitFor, waitUntil } = vi
vi.waitFor = (callback, options) => waitFor(callback, patient(options))
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options))

type Options = Parameters<typeof waitFor>[1]

function patient(options: Options): Options {
  return typeof options === 'number' ? options : { timeout: TIMEOUT_MS, ...options }
}
