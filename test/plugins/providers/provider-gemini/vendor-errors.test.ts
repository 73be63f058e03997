import { virtualClock } from 'svc/sdk/testing'
import { test } from 'vitest'
import { collectFailure } from '../../../support/ask-model.ts'
import { type ErrorCase, expectFailure, formatTitle } from '../../../support/error-cases.ts'
import { at, serve } from './ask.ts'

type More = Partial<ErrorCase> & { readonly details?: readonly object[]; readonly name?: string }

function said(what: string, code: number, kind: ErrorCase['kind'], reason: string, more: More = {}): ErrorCase {
  const { details, name = 'INVALID_ARGUMENT', ...rest } = more
  const body = JSON.stringify({ error: { code, message: reason, status: name, ...(details ? { details } : {}) } })
  return { what, status: code, kind, reason, body, ...rest }
}

const retryIn = (retryDelay: string) => ({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay })
const quota = (quotaId: string) => ({
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests', quotaId }],
})
const EXHAUSTED = 'RESOURCE_EXHAUSTED'
const QUOTA = 'You exceeded your current quota, please check your plan and billing details.'

const cases: readonly ErrorCase[] = [
  said('wrong key', 400, 'auth', 'API key not valid. Please pass a valid API key.'),
  said('leaked key', 403, 'auth', 'Your API key was reported as leaked. Please use another API key.', {
    name: 'PERMISSION_DENIED',
  }),
  said(
    'service that is off',
    403,
    'invalid',
    'Generative Language API has not been used in project 1 before or it is disabled.',
    {
      name: 'PERMISSION_DENIED',
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'SERVICE_DISABLED' }],
    },
  ),
  said(
    'unknown model',
    404,
    'model-not-found',
    'models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.',
    {
      name: 'NOT_FOUND',
    },
  ),
  said('busy model', 503, 'overloaded', 'The model is overloaded. Please try again later.', { name: 'UNAVAILABLE' }),
  said(
    'full context',
    400,
    'context-overflow',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  ),
  said('place', 400, 'invalid', 'User location is not supported for the API use.', { name: 'FAILED_PRECONDITION' }),
  said('order of turns', 400, 'invalid', 'Please ensure that function call turn comes immediately after a user turn.'),
  said('damaged picture', 400, 'picture-refused', 'Unable to process input image. Please retry or report the problem.'),
  said('picture for Gemma', 400, 'picture-refused', 'Image input modality is not enabled for models/gemma-3-1b-it'),
  said('large body', 400, 'payload-too-large', 'Request payload size exceeds the limit: 20971520 bytes.'),
  said('own failure', 500, 'server', 'An internal error has occurred. Please retry.', { name: 'INTERNAL' }),
  said('limit without a time', 429, 'rate-limit', 'Resource has been exhausted (e.g. check quota).', {
    name: EXHAUSTED,
  }),
  said('limit of the minute', 429, 'rate-limit', QUOTA, {
    name: EXHAUSTED,
    details: [quota('GenerateRequestsPerMinutePerProjectPerModel-FreeTier'), retryIn('34.07s')],
    wait: 34_070,
  }),
  said('limit of the day', 429, 'rate-limit', QUOTA, {
    name: EXHAUSTED,
    details: [quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier'), retryIn('1.2s')],
    hopeless: true,
  }),
  said(
    'plan without the model',
    429,
    'billing',
    `${QUOTA} Quota exceeded for metric: free_tier_requests, limit: 0, model: gemini-3-pro`,
    {
      name: EXHAUSTED,
      details: [quota('GenerateRequestsPerMinutePerProjectPerModel-FreeTier'), retryIn('1.2s')],
      wait: 1200,
    },
  ),
  said('spent quota without a time', 429, 'billing', QUOTA, { name: EXHAUSTED }),
]

test.for(cases.map((each) => [formatTitle(each), each] as const))('Google says %s', async ([, each]) => {
  const { status, body, headers = {} } = each
  const server = await serve({ replies: [{ fault: { status, body, headers } }] })
  const failure = await collectFailure(await at(server.url, { clock: virtualClock(Date.UTC(2026, 0, 1)) }))
  expectFailure(failure, each)
})
