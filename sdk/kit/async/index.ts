/** `svc/sdk/kit/async`: deadlines, abortable waits, backoff, and repeated work. */
export { type BackoffPolicy, backoff } from './backoff.ts'
export { abortable, type DeadlineOptions, waitAtMost, withDeadline } from './deadline.ts'
export { memoizePerTick } from './memoize-per-tick.ts'
export { toRegistration } from './registration.ts'
export { isInterval, Repeater, type RepeaterOptions } from './repeater.ts'
export { type RunEachOptions, runEach } from './run-each.ts'
