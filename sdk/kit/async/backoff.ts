/** How long to wait before something that failed is tried again. */

/** Waits that double. @since 0.1 */
export interface BackoffPolicy {
  /** Milliseconds before the second attempt. */
  readonly firstMs: number
  /** The longest wait, without the jitter. */
  readonly maxMs: number
  /** The largest part of a wait that is added at random, so that not all come back at once (default 0). */
  readonly jitter?: number
}

/**
 * Milliseconds to wait after a number of failures, from 1 on. `random` is from 0 (included) to 1 (excluded), and needed
 * if the policy has jitter.
 * @since 0.1
 */
export function backoff({ firstMs, maxMs, jitter = 0 }: BackoffPolicy, failures: number, random = 0): number {
  return Math.min(firstMs * 2 ** Math.min(Math.max(failures, 1) - 1, 30), maxMs) * (1 + jitter * random)
}
