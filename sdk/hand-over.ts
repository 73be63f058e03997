/** Messages that come in are handed over until they are safe. */
import { errorMessage } from './errors.ts'
import type { Logger } from './plugin.ts'
import type { Clock } from './ports.ts'

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 30_000

/** What it works with. */
export interface HandOver {
  readonly clock: Pick<Clock, 'sleep'>
  readonly log: Pick<Logger, 'warn'>
  /** Aborted when the connection ends: then it is given up. */
  readonly signal: AbortSignal
}

/**
 * For platforms whose service would not bring a message again: repeats `take`, which reads one and gives it to the gateway,
 * until it resolves, with waits from 0.25 to 30 s. Those behind it wait, so that their order stays. Rejects with the reason
 * of `signal` once that is aborted; a message that was not taken by then must be read again with the next connection.
 */
export async function handOver<T>(take: () => Promise<T>, { clock, log, signal }: HandOver): Promise<T> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    signal.throwIfAborted()
    try {
      return await take()
    } catch (error) {
      signal.throwIfAborted()
      log.warn('a message could not be taken; it is tried again', { error: errorMessage(error), waitMs: wait })
    }
    await clock.sleep(wait, signal)
  }
}
