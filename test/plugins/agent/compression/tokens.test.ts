import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { config } from '../../../../plugins/agent/compression/config.ts'
import {
  computeLimits,
  limitsOfEstimates,
  messageTokens,
  textTokens,
  UNKNOWN_WINDOW,
} from '../../../../plugins/agent/compression/tokens.ts'

const settings = config.parse({})

describe('from which size on is compressed', () => {
  test.for([
    ['a large window: half of what is left for reading', 1_000_000, 64_000, 468_000],
    ['a window below 512,000: three quarters', 200_000, 20_000, 135_000],
    ['a window in which three quarters are less than 64,000: that much', 90_000, 10_000, 64_000],
    ['a window that has no 64,000: most of it', 32_000, 8000, 20_400],
    ['a model that says it may write all it can read: half of the window is for reading', 16_000, 16_000, 6800],
  ] as const)('%s', ([, contextWindow, maxOutputTokens, threshold]) => {
    expect(computeLimits({ contextWindow, maxOutputTokens }, settings).threshold).toBe(threshold)
  })

  test('a window that no one knows counts as one of 128,000, and says so', () => {
    const { isKnown, threshold } = computeLimits({}, settings)
    expect(isKnown).toBe(false)
    expect(threshold).toBe(computeLimits({ contextWindow: UNKNOWN_WINDOW }, settings).threshold)
  })

  test('whatever is configured and known, it is below the window, and what stays is below it', () => {
    const tokens = fc.integer({ min: 1000, max: 3_000_000 })
    fc.assert(
      fc.property(
        fc.record({ contextWindow: fc.option(tokens, { nil: undefined }), maxOutputTokens: tokens }),
        fc.record({ threshold: fc.double({ min: 0.1, max: 0.95, noNaN: true }), target_ratio: fc.constant(0.8) }),
        fc.option(tokens, { nil: undefined }),
        (model, set, refused) => {
          const { contextWindow, maxOutputTokens } = model
          const limits = computeLimits({ maxOutputTokens, ...(contextWindow && { contextWindow }) }, set)
          expect(limits.threshold).toBeLessThan(contextWindow ?? UNKNOWN_WINDOW)
          const { threshold, tail, most } = limitsOfEstimates(limits, 1, refused)
          expect(threshold).toBeLessThanOrEqual(Math.min(most, refused ?? most))
          expect(tail).toBeLessThan(threshold)
          expect(threshold).toBeGreaterThan(0)
        },
      ),
    )
  })
})

test('Latin text takes a token for four characters, Chinese and Japanese one for each, a picture 1,600', () => {
  expect(textTokens('x'.repeat(400))).toBe(100)
  expect(textTokens('日本語のテキスト')).toBe(8)
  const images = [{ mediaType: 'image/png', data: 'AAAA' }]
  expect(messageTokens({ role: 'user', text: '', images })).toBe(1604)
  const toolCalls = [{ id: 'c', name: 'look', input: { path: 'x'.repeat(4000) } }]
  expect(messageTokens({ role: 'assistant', text: '', toolCalls })).toBeGreaterThan(1000)
})
