/** What Zulip answers (zulip.com/api/rest-error-handling). */
import type { ServiceAnswer } from 'svc/sdk/kit/stand-in'
import type { SendFault } from 'svc/sdk/platform'

export function ok(more: object = {}): ServiceAnswer {
  return { body: { result: 'success', msg: '', ...more } }
}

export function wrong(msg: string, { status = 400, code = 'BAD_REQUEST', ...more }: WrongOptions = {}): ServiceAnswer {
  return { status, body: { result: 'error', msg, code, ...more } }
}

interface WrongOptions {
  readonly status?: number
  readonly code?: string
  readonly [name: string]: unknown
}

/** Requests come too fast: so many seconds have to pass. */
export function limited(seconds: number): ServiceAnswer {
  const body = { result: 'error', msg: 'API usage exceeded rate limit', code: 'RATE_LIMIT_HIT', 'retry-after': seconds }
  return { status: 429, headers: { 'retry-after': String(seconds) }, body }
}

/** Undefined for a fault after which the message is taken. */
export function answerFault(fault: SendFault | undefined): ServiceAnswer | undefined {
  if (fault === 'busy') return limited(1)
  if (fault === 'unavailable') return { status: 503, body: '<html>502 Bad Gateway</html>' }
  if (fault === 'forbidden') return wrong("Not authorized to send to channel 'lab'")
  return fault === 'lost' ? 'cut' : undefined
}
