/** A bound on how long something may take. */
import { type Clock, SvcError } from 'svc/sdk'

/** What `work` comes to; rejects with `CONTROL_TIMEOUT` after `ms`, whatever becomes of it. */
export function within<T>(clock: Clock, ms: number, what: string, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new SvcError('CONTROL_TIMEOUT', `${what} took longer than ${ms / 1000} s.`))
    const cancel = clock.after(ms, late)
    work.finally(cancel).then(resolve, reject)
  })
}
