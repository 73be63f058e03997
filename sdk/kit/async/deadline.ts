/** Bounds on how long something is waited for. */
import type { Clock } from '../../ports.ts'

/** Options of `withDeadline` and `waitAtMost`. @since 0.1 */
export interface DeadlineOptions {
  /** Ends the wait, too: `withDeadline` rejects with its reason, `waitAtMost` resolves to undefined. */
  readonly signal?: AbortSignal | undefined
  /** Whether the timer lets the process end (default false). */
  readonly background?: boolean
}

/**
 * The result of `work`. Rejects with the error that `onLate` returns after `ms` milliseconds, and with the reason of
 * `options.signal` if it aborts, even if it had aborted before. The signal that `work` gets aborts in both cases; work
 * that ignores it keeps running, and its result is dropped.
 * @since 0.1
 */
export async function withDeadline<T>(
  clock: Pick<Clock, 'after'>,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  onLate: () => Error,
  options: DeadlineOptions = {},
): Promise<T> {
  const { signal: outer, background = false } = options
  const limit = new AbortController()
  const signal = outer ? AbortSignal.any([outer, limit.signal]) : limit.signal
  signal.throwIfAborted()
  const cancel = clock.after(ms, () => limit.abort(onLate()), { background })
  try {
    return await abortable(work(signal), signal)
  } finally {
    cancel()
  }
}

/**
 * The result of `work`, or undefined if it takes longer than `ms` milliseconds or the signal aborts. Rejects if `work` does in time.
 * @since 0.1
 */
export async function waitAtMost<T>(
  clock: Pick<Clock, 'after'>,
  ms: number,
  work: Promise<T>,
  options: DeadlineOptions = {},
): Promise<T | undefined> {
  const late = new Error('late')
  let isOver = false
  try {
    return await withDeadline(
      clock,
      ms,
      () => work,
      () => {
        isOver = true
        return late
      },
      options,
    )
  } catch (error) {
    if (isOver ? error === late : options.signal?.aborted && error === options.signal.reason) return undefined
    throw error
  }
}

/**
 * The result of `work`, or a rejection with the reason of the signal, even if it had aborted before. The work keeps
 * running, and its result is dropped. No listener stays behind.
 * @since 0.1
 */
export function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
