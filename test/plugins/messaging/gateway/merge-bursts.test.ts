/** Which messages of a chat become one request, with data alone. */
import { expect, test } from 'vitest'
import { type Burst, emptyBurst, isToMerge, merge } from '../../../../plugins/messaging/gateway/merge-bursts.ts'
import type { InboxRow } from '../../../../plugins/messaging/gateway/store.ts'

const limits = { maxTextLength: 4096 }
const row = (text: string, more: object = {}) => ({ message: { text, ...more } }) as unknown as InboxRow

/** How long each message waits for the next one, by when it came. */
function waits(...messages: readonly (readonly [at: number, text: string])[]) {
  let burst: Burst = emptyBurst
  return messages.map(([at, text]) => {
    const merged = merge(burst, row(text), at, limits)
    burst = merged.burst
    return merged.waitMs
  })
}

test('a message of an idle chat does not wait, unless more of it is to be expected', () => {
  expect(isToMerge(emptyBurst, row('hi'), limits)).toBe(false)
  expect(isToMerge(emptyBurst, row('', { files: [{}] }), limits)).toBe(true)
  expect(isToMerge(emptyBurst, row('x'.repeat(4000)), limits)).toBe(true)
  expect(isToMerge(merge(emptyBurst, row('hi'), 0, limits).burst, row('and'), limits)).toBe(true)
  expect(isToMerge(emptyBurst, row('x'.repeat(4000), { press: 'a:b' }), limits)).toBe(false)
})

test('messages wait a little for the next one, and not more than a second in all', () => {
  expect(waits([0, 'a'], [300, 'b'], [600, 'c'], [900, 'd'])).toEqual([350, 350, 350, 100])
  expect(waits([0, 'a'], [1000, 'b'])).toEqual([350, 0])
})

test('the rest of a text that was cut is waited for longer, by the measure of the platform', () => {
  expect(waits([0, 'x'.repeat(3995)])).toEqual([350])
  expect(waits([0, 'x'.repeat(3996)])).toEqual([2000])
  const bytes = { maxTextLength: 4096, measure: 'bytes' } as const
  expect(merge(emptyBurst, row('ä'.repeat(2000)), 0, bytes).waitMs).toBe(2000)
  const points = { maxTextLength: 4096, measure: 'codepoints' } as const
  expect(merge(emptyBurst, row('😀'.repeat(2000)), 0, points).waitMs).toBe(350)
  expect(merge(emptyBurst, row('x'.repeat(150)), 0, { maxTextLength: 160 }).waitMs).toBe(350)
})

test('a hundred messages are enough for one request, in the order in which they came', () => {
  let burst: Burst = emptyBurst
  for (let at = 0; at < 99; at++) {
    const merged = merge(burst, row(`${at}`), 0, limits)
    expect(merged.waitMs).toBeGreaterThan(0)
    burst = merged.burst
  }
  const last = merge(burst, row('99'), 0, limits)
  expect(last.waitMs).toBe(0)
  expect(last.burst.rows.map(({ message }) => message.text)).toEqual(Array.from({ length: 100 }, (_, at) => `${at}`))
  expect(burst.rows).toHaveLength(99)
})
