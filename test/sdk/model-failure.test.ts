import { failureKind, readServiceError, retryAfterMs } from 'svc/sdk'
import { expect, test } from 'vitest'

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
  expect(retryAfterMs(headers, now)).toBe(expected)
})

test.for([
  [401, '', 'auth'],
  [402, '', 'billing'],
  [404, '', 'model-not-found'],
  [413, '', 'context-overflow'],
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
  expect(failureKind(status, text)).toBe(kind)
})

test('words of one service weigh more than those of all', () => {
  expect(failureKind(429, 'check your billing', [[/check your/, 'rate-limit']])).toBe('rate-limit')
})

test.for([
  ['{"error":{"message":"Bad","type":"t"}}', { isError: true, message: 'Bad.', code: 't' }],
  ['{"error":"Bad!"}', { isError: true, message: 'Bad!', code: '' }],
  ['[{"error":{"code":400,"message":"Bad"}}]', { isError: true, message: 'Bad.', code: '400' }],
  ['{"detail":[{"msg":"Bad"}]}', { isError: false, message: '[{"msg":"Bad"}].', code: '' }],
  ['Bad  \n gateway', { isError: false, message: 'Bad gateway.', code: '' }],
  ['', { isError: false, message: '', code: '' }],
] as const)('the error %s is read', ([body, expected]) => {
  expect(readServiceError(body, (text) => text)).toEqual(expected)
})
