/** Messages that come in are handed over until they are safe. */

import { backoff } from './kit/async/backoff.ts'
import type { Logger } from './plugin.ts'
import type { Clock } from './ports.ts'

const RETRY = { firstMs: 250, maxMs: 30_000 }

/** Options of `retryUntilTaken`. @since 0.2 */
export interface RetryUntilTakenOptions {
  readonly clock: Pick<Clock, 'sleep'>
  readonly log: Pick<Logger, 'warn'>
  /** Aborted when the connection ends: then it is given up. */
  readonly signal: AbortSignal
}

/**
 * For platforms whose service would not bring a message again: repeats `take`, which reads one and gives it to the gateway,
 * until it resolves, with waits from 0.25 to 30 s. Those behind it wait, so that their order stays. Rejects with the reason
 * of `signal` once that is aborted; a message that was not accepted must be read again by the next connection.
 * @since 0.2
 */
export async function retryUntilTaken<T>(
  take: () => Promise<T>,
  { clock, log, signal }: RetryUntilTakenOptions,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    signal.throwIfAborted()
    try {
      return await take()
    } catch (error) {
      signal.throwIfAborted()
      const waitMs = backoff(RETRY, failures)
      log.warn('a message could not be taken; it is tried again', { error, waitMs })
      await clock.sleep(waitMs, signal)
    }
  }
}
