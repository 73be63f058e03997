/** A bound on how long something may take. */
import { type Clock, SvcError } from 'svc/sdk'
import { withDeadline } from 'svc/sdk/kit/async'

/** What `work` comes to; rejects with `CONTROL_TIMEOUT` after `ms`, whatever becomes of it. */
export function withTimeout<T>(clock: Clock, ms: number, what: string, work: Promise<T>): Promise<T> {
  const late = () => new SvcError('CONTROL_TIMEOUT', `${what} took longer than ${ms / 1000} s.`)
  return withDeadline(clock, ms, () => work, late)
}
