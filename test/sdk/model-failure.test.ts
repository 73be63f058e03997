import { expect, test } from 'vitest'
import { retryAfterMs } from '../../../plugins/provider-openai/retry-after.ts'

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
