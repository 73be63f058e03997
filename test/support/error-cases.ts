/** Errors of model services as data: what comes, and what it has to mean. Expectations are of people, not of the code. */
import type { ModelFailure } from 'svc/sdk/provider'
import { expect } from 'vitest'

/** One documented error. */
export interface ErrorCase {
  readonly what: string
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
  readonly kind: ModelFailure['kind']
  /** What the service said, which people have to read; left out: nothing. */
  readonly reason?: string
  /** What it asks to wait, in milliseconds. */
  readonly wait?: number
  /** It would be worth another try by its kind, but the wait is too long or of no use. */
  readonly hopeless?: true
}

const AGAIN: readonly ModelFailure['kind'][] = ['rate-limit', 'overloaded', 'server', 'timeout', 'garbled']

/** How a case is told in the name of its test. */
export function formatTitle({ what, status, kind }: ErrorCase): string {
  return `${status} ${what} means ${kind}`
}

/** The failure is of the right kind, keeps the wait, gives the reason, and is only tried again when that may help. */
export function expectFailure(failure: ModelFailure, { kind, reason, wait, hopeless, status }: ErrorCase): void {
  expect(failure).toMatchObject({ kind, status, retryable: AGAIN.includes(kind) && !hopeless })
  expect(failure.retryAfterMs).toBe(wait)
  if (reason !== undefined) expect(failure.message.replace(/\s+/g, ' ')).toContain(reason.slice(0, 120))
  // A person is only sent to the keys when it is the key.
  expect(/did not accept the key|svc config set \w+_(KEY|TOKEN\w*) /.test(failure.message)).toBe(kind === 'auth')
}
