import { virtualClock } from 'svc/sdk/testing'
import { test } from 'vitest'
import { collectFailure } from '../../../support/ask-model.ts'
import { type ErrorCase, expectFailure, formatTitle } from '../../../support/error-cases.ts'
import { at, serve } from './ask.ts'

function said(
  [what, type]: readonly [string, string],
  status: number,
  kind: ErrorCase['kind'],
  reason: string,
  more: Partial<ErrorCase> = {},
): ErrorCase {
  const headers = { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/` }
  return { what, status, kind, reason, body: JSON.stringify({ message: reason }), headers, ...more }
}

const cases: readonly ErrorCase[] = [
  said(
    ['wrong key', 'AccessDeniedException'],
    403,
    'auth',
    'Invalid API Key format: Must start with pre-defined prefix',
  ),
  said(
    ['expired token', 'ExpiredTokenException'],
    403,
    'auth',
    'The security token included in the request is expired',
  ),
  said(
    ['closed model', 'AccessDeniedException'],
    403,
    'model-not-found',
    "You don't have access to the model with the specified model ID.",
  ),
  said(
    ['missing form', 'ResourceNotFoundException'],
    404,
    'model-not-found',
    'Model use case details have not been submitted for this account.',
  ),
  said(
    ['model without a profile', 'ValidationException'],
    400,
    'model-not-found',
    'Retry your request with the ID or ARN of an inference profile that contains this model.',
  ),
  said(
    ['picture for a model that sees none', 'ValidationException'],
    400,
    'picture-refused',
    "This model doesn't support the image content block that you provided.",
  ),
  said(['wrong id', 'ValidationException'], 400, 'model-not-found', 'The provided model identifier is invalid.'),
  said(
    ['long prompt of Claude', 'ValidationException'],
    400,
    'context-overflow',
    'The model returned the following errors: prompt is too long: 212847 tokens > 200000 maximum',
  ),
  said(['long prompt', 'ValidationException'], 400, 'context-overflow', 'Input is too long for requested model.'),
  said(
    ['long prompt of Nova', 'ValidationException'],
    400,
    'context-overflow',
    'Input Tokens Exceeded: Number of input tokens exceeds maximum length.',
  ),
  said(
    ['tools in a stream', 'ValidationException'],
    400,
    'invalid',
    "This model doesn't support tool use in streaming mode.",
  ),
  said(['limit', 'ThrottlingException'], 429, 'rate-limit', 'Too many tokens, please wait before trying again.'),
  said(
    ['limit of the day', 'ThrottlingException'],
    429,
    'rate-limit',
    'Too many tokens per day, please wait before trying again.',
    { hopeless: true },
  ),
  said(['no capacity', 'ServiceUnavailableException'], 503, 'overloaded', 'Bedrock is unable to process your request.'),
  said(
    ['model that is not ready', 'ModelNotReadyException'],
    429,
    'overloaded',
    'The model is not ready for inference.',
  ),
  said(['model that is late', 'ModelTimeoutException'], 408, 'timeout', 'The request took too long to process.'),
  said(
    ['broken model', 'ModelErrorException'],
    424,
    'server',
    'The system encountered an unexpected error during processing.',
  ),
]

test.for(cases.map((each) => [formatTitle(each), each] as const))(
  'an exception of Bedrock says %s',
  async ([, each]) => {
    const { status, body, headers = {} } = each
    const server = await serve({ replies: [{ fault: { status, body, headers } }] })
    const failure = await collectFailure(await at(server.url, { clock: virtualClock(Date.UTC(2026, 0, 1)) }))
    expectFailure(failure, each)
  },
)
