/** What a refusal means for a key: nothing, one more try, rest, or the end. */
import type { ModelFailure } from 'svc/sdk/provider'

/** `rest` is in milliseconds. */
export type Verdict =
  | { readonly is: 'unrelated' }
  | { readonly is: 'again' }
  | { readonly is: 'rest'; readonly ms: number }
  | { readonly is: 'dead' }

const UNAUTHORISED_MS = 5 * 60_000
const REFUSED_MS = 60 * 60_000

/** Words of services for a key that will never work again (RFC 6749, 5.2, and the services' own). */
const FOR_EVER =
  /\b(token_invalidated|token_revoked|invalid_token|invalid_grant|unauthorized_client|refresh_token_reused)\b/

/** A key in the eyes of a refusal. */
export interface Refused {
  /** There is no other key of the provider that was not given up. */
  readonly alone: boolean
  /** It lies in a variable, which svc does not give up: a person changes it there. */
  readonly inVariable: boolean
  /** The same was said the last time. */
  readonly again: boolean
}

/**
 * The service's own time wins. A key that is alone rests only when the service said until when: there is nothing to
 * change to, and its own refusal says more than ours.
 */
export function judge(failure: ModelFailure, key: Refused): Verdict {
  if (!['auth', 'billing', 'rate-limit'].includes(failure.kind)) return { is: 'unrelated' }
  if (failure.kind === 'auth' && !key.inVariable && isForEver(failure)) return { is: 'dead' }
  if (failure.retryAfterMs !== undefined) return { is: 'rest', ms: failure.retryAfterMs }
  if (key.alone) return { is: 'unrelated' }
  if (failure.kind === 'rate-limit' && !key.again) return { is: 'again' }
  const isUnauthorised = failure.kind === 'auth' && failure.status !== 403
  return { is: 'rest', ms: isUnauthorised ? UNAUTHORISED_MS : REFUSED_MS }
}

/** Whether what was said ends a key or a sign-in for good. */
export function isForEver({ code, message }: { readonly code?: string; readonly message: string }): boolean {
  return FOR_EVER.test(`${code ?? ''} ${message}`)
}
