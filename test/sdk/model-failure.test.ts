import { createModelFailure, parseRetryAfter, retryDelayMs } from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import { readServiceError } from '../../sdk/model-error-body.ts'
import { judgeError } from '../../sdk/model-error-rules.ts'
import { answerFailure, type FailedCall, streamFailure } from '../../sdk/model-failure.ts'

const now = Date.UTC(2026, 0, 1, 12, 0, 0)

test.for<[Record<string, string>, number | undefined]>([
  [{}, undefined],
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': ' 1.5 ' }, 1500],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': 'Thu, 01 Jan 2026 12:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{ 'retry-after': '7', 'retry-after-ms': '250' }, 250],
])('the headers %j ask to wait %s milliseconds', ([headers, expected]) => {
  expect(parseRetryAfter(headers, now)).toBe(expected)
})

test.for([
  [401, '', 'auth'],
  [402, '', 'billing'],
  [404, '', 'model-not-found'],
  [410, '', 'model-not-found'],
  [400, 'The model `llama-3.1-70b-versatile` has been decommissioned and is no longer supported.', 'model-not-found'],
  [400, 'The model `gpt-4-32k` has been deprecated, learn more in the documentation.', 'model-not-found'],
  [400, 'This model version has reached the end of its life.', 'model-not-found'],
  [413, '', 'payload-too-large'],
  [429, '', 'rate-limit'],
  [429, 'insufficient_quota', 'billing'],
  [400, 'prompt is too long: 9 tokens > 8 maximum', 'context-overflow'],
  [400, 'Your credit balance is too low', 'billing'],
  [400, '', 'invalid'],
  [500, '', 'server'],
  [503, '', 'overloaded'],
  [504, '', 'timeout'],
  [529, '', 'overloaded'],
] as const)('status %i with the words "%s" means %s', ([status, text, kind]) => {
  expect(judgeError({ status, codes: [], text, wait: undefined }).kind).toBe(kind)
})

test.for([
  ['an advertisement behind a limit', ['tokens', 'rate_limit_exceeded'], 'Limit reached. Check your billing details.'],
  [
    'the address of a page about bills',
    [],
    'Too many requests. See https://docs.test/errors/insufficient_quota#balance.',
  ],
] as const)('%s makes no bill of it', ([, codes, text]) => {
  expect(judgeError({ status: 429, codes, text, wait: undefined }).kind).toBe('rate-limit')
})

/** A call of a service with its own word. */
const call: FailedCall = {
  who: 'Somebody',
  model: 'm',
  baseUrl: 'https://a.test',
  isLoopback: false,
  keyName: 'A_KEY',
  hasKey: true,
  signal: new AbortController().signal,
  now: () => now,
  mask: (text) => text,
  errors: {
    noun: 'message',
    api: 'the API',
    codeHeader: 'x-error',
    rules: [{ words: /billing/, kind: 'rate-limit' }],
    status: (code) => (code === 'busy' ? 503 : undefined),
  },
}

test('what a service means by its words weighs more than what others mean', () => {
  const answer = { status: 402, headers: {}, body: '{"error":"check your billing"}' }
  expect(answerFailure(answer, call)).toMatchObject({ kind: 'rate-limit' })
  expect(answerFailure({ ...answer, headers: { 'retry-after': '9' } }, call)).toMatchObject({ retryAfterMs: 9000 })
  expect(answerFailure({ ...answer, headers: { 'x-error': 'Refused:more' } }, call)).toMatchObject({ code: 'Refused' })
})

test('an error in the middle of a stream has the status of its code', () => {
  const toFailure = (error: unknown) => streamFailure(error, call)
  expect(toFailure({ type: 'busy', message: 'Later' })).toMatchObject({ kind: 'overloaded', status: 503 })
  expect(toFailure({ code: 404, message: 'Gone' })).toMatchObject({ kind: 'model-not-found', status: 404 })
  expect(toFailure('Oh')).toMatchObject({ kind: 'server', status: 500 })
})

test.for([
  ['{"error":{"message":"Bad","type":"t"}}', { isError: true, message: 'Bad.', code: 't' }],
  ['{"error":"Bad!"}', { isError: true, message: 'Bad!', code: '' }],
  ['[{"error":{"code":400,"message":"Bad"}}]', { isError: true, message: 'Bad.', code: '400' }],
  ['{"detail":[{"msg":"Bad"}]}', { isError: false, message: '[{"msg":"Bad"}].', code: '' }],
  ['Bad  \n gateway', { isError: false, message: 'Bad gateway.', code: '' }],
  ['', { isError: false, message: '', code: '' }],
] as const)('the error %s is read', ([body, expected]) => {
  expect(readServiceError(body, (text) => text)).toMatchObject(expected)
})

test('a failed call is made again after 2 s, twice as long each time, a minute at most, and up to half more', () => {
  const waits = (random: number) => [0, 1, 2, 4, 5, 60].map((attempt) => retryDelayMs({}, attempt, random))
  expect(waits(0)).toEqual([2000, 4000, 8000, 32_000, 60_000, 60_000])
  expect(waits(1)).toEqual([3000, 6000, 12_000, 48_000, 90_000, 90_000])
})

test('what the service asks for is waited, ten minutes at most', () => {
  expect([0, 250, 7000, 3_600_000].map((retryAfterMs) => retryDelayMs({ retryAfterMs }, 9, 1))).toEqual([
    0, 250, 7000, 600_000,
  ])
})

test("a failure has the service's own word for it, and a key in that word is masked", () => {
  expect(createModelFailure('auth', 'No.', { status: 401, code: 'token_revoked' })).toMatchObject({
    code: 'token_revoked',
  })
  expect(createModelFailure('auth', 'No.', { code: '' })).not.toHaveProperty('code')
  const body = '{"error":{"message":"No","code":"sk-1 is wrong"}}'
  expect(readServiceError(body, (text) => text.replace('sk-1', '***')).code).toBe('*** is wrong')
})
