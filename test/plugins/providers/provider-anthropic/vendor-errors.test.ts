import { virtualClock } from 'svc/sdk/testing'
import { test } from 'vitest'
import { collectFailure } from '../../../support/ask-model.ts'
import { type ErrorCase, expectFailure, formatTitle } from '../../../support/error-cases.ts'
import { at, serve } from './ask.ts'

type More = Partial<ErrorCase>

function said(
  what: string,
  status: number,
  kind: ErrorCase['kind'],
  [type, reason]: readonly [string, string],
  more: More = {},
): ErrorCase {
  const body = JSON.stringify({ type: 'error', error: { type, message: reason }, request_id: 'req_1' })
  return { what, status, kind, reason, body, ...more }
}

const REFUSED = 'invalid_request_error'
const cases: readonly ErrorCase[] = [
  said('wrong key', 401, 'auth', ['authentication_error', 'invalid x-api-key']),
  said('sign-in of another kind', 400, 'auth', [
    'authentication_error',
    'OAuth authentication is currently not supported.',
  ]),
  said('key without the right', 403, 'auth', [
    'permission_error',
    'Your API key does not have permission to use the specified resource.',
  ]),
  said('low credit', 400, 'billing', [
    REFUSED,
    'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
  ]),
  said(
    'own limit of the month',
    400,
    'billing',
    [REFUSED, 'You have reached your specified API usage limits. You will regain access on 2026-01-03 at 00:00 UTC.'],
    { wait: 2 * 86_400_000 },
  ),
  said('unknown model', 404, 'model-not-found', ['not_found_error', 'model: claude-sonnet-4-5-xyz']),
  said('large body', 413, 'payload-too-large', ['request_too_large', 'Request exceeds the maximum size']),
  said('long prompt', 400, 'context-overflow', [REFUSED, 'prompt is too long: 212847 tokens > 200000 maximum']),
  said('prompt and answer together', 400, 'context-overflow', [
    REFUSED,
    'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
  ]),
  said('answer limit over the maximum', 400, 'invalid', [
    REFUSED,
    'max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet-20241022',
  ]),
  said('held back answer', 400, 'filtered', [REFUSED, 'Output blocked by content filtering policy']),
  said('damaged picture', 400, 'picture-refused', [REFUSED, 'messages.0.content.1.image: Could not process image']),
  said('picture with too many pixels', 400, 'picture-refused', [
    REFUSED,
    'messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
  ]),
  said('large picture', 400, 'picture-refused', [
    REFUSED,
    'messages.0.content.1.image.source.base64.data: image exceeds 5 MB maximum: 5316468 bytes > 5242880 bytes',
  ]),
  said('call without its result', 400, 'invalid', [
    REFUSED,
    'messages.2: `tool_use` ids were found without `tool_result` blocks',
  ]),
  said('overload', 529, 'overloaded', ['overloaded_error', 'Overloaded']),
  said('own failure', 500, 'server', ['api_error', 'Internal server error']),
  said('late answer', 504, 'timeout', ['timeout_error', 'Request timed out']),
  said(
    'limit with seconds',
    429,
    'rate-limit',
    ['rate_limit_error', 'This request would exceed your organization’s rate limit'],
    {
      headers: { 'retry-after': '17' },
      wait: 17_000,
    },
  ),
  said(
    'limit with a date of its end',
    429,
    'rate-limit',
    ['rate_limit_error', 'This request would exceed the rate limit'],
    {
      headers: {
        'anthropic-ratelimit-requests-remaining': '12',
        'anthropic-ratelimit-requests-reset': '2026-01-01T00:05:00Z',
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2026-01-01T00:00:41Z',
      },
      wait: 41_000,
    },
  ),
  said('limit of an hour', 429, 'rate-limit', ['rate_limit_error', 'Too many requests'], {
    headers: { 'retry-after': '3600' },
    wait: 3_600_000,
    hopeless: true,
  }),
]

test.for(cases.map((each) => [formatTitle(each), each] as const))('the Messages API says %s', async ([, each]) => {
  const { status, body, headers = {} } = each
  const server = await serve({ replies: [{ fault: { status, body, headers } }] })
  const failure = await collectFailure(await at(server.url, { clock: virtualClock(Date.UTC(2026, 0, 1)) }))
  expectFailure(failure, each)
})
