/** `svc/sdk/kit/async`: deadlines, abortable waits, and backoff. */
export { type BackoffPolicy, backoff } from './backoff.ts'
export { abortable, type DeadlineOptions, waitAtMost, withDeadline } from './deadline.ts'
export { memoizePerTick } from './memoize-per-tick.ts'
