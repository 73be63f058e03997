/** Time limits: whatever a plugin does, waiting for it ends. */
import { SvcError } from '../sdk/errors.ts'
import type { Clock } from '../sdk/ports.ts'

/**
 * The result of `work`, or `PLUGIN_TIMEOUT` after `ms`. The work's signal aborts then; what it does later is ignored.
 * Work that answers at once costs no timer, work that asks for no signal gets none. `ms` 0 means no limit.
 * Where `isHeld` says so at the end of the time, it begins again.
 */
export async function within<T>(
  clock: Clock,
  ms: number,
  what: string,
  work: (signal: () => AbortSignal) => T | Promise<T>,
  isHeld?: () => boolean,
): Promise<T> {
  return limited(clock, ms, what, work, isHeld)
}

/** The same for callers that go on at once where the work answers at once: then it is no promise, and what is thrown is thrown. */
export function limited<T>(
  clock: Clock,
  ms: number,
  what: string,
  work: (signal: () => AbortSignal) => T | Promise<T>,
  isHeld: () => boolean = () => false,
): T | Promise<T> {
  let abort: AbortController | undefined
  const controller = () => (abort ??= new AbortController())
  const result = work(() => controller().signal)
  if (!ms || !isPromise(result)) return result
  return new Promise<T>((resolve, reject) => {
    let cancel = () => {}
    const wait = () => {
      cancel = clock.after(ms, end) as () => void
    }
    const end = () => {
      if (isHeld()) return wait()
      const late = new SvcError('PLUGIN_TIMEOUT', `${what} took longer than ${ms / 1000} s`)
      controller().abort(late)
      reject(late)
    }
    wait()
    result.then(resolve, reject).finally(() => cancel())
  })
}

/** Whether the work goes on. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | undefined)?.then === 'function'
}
