/** Times of messages: in the order in which they were sent, and never so far ahead that a relay refuses them. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseTime } from '../../../../../plugins/messaging/platforms/platform-nostr/envelope.ts'

/** That of strfry: https://github.com/hoytech/strfry (`rejectEventsNewerThanSeconds`). */
const TAKEN_AHEAD_S = 900
const START = 1_796_000_000

test('messages of one second follow each other, also thousands of them, and the time catches up afterwards', () => {
  let before: number | undefined
  const times = Array.from({ length: 3000 }, () => {
    before = chooseTime(START, before)
    return before
  })
  expect(times.slice(0, 3)).toEqual([START, START + 1, START + 2])
  expect(Math.max(...times)).toBeLessThan(START + TAKEN_AHEAD_S)
  expect(chooseTime(START + TAKEN_AHEAD_S, before)).toBe(START + TAKEN_AHEAD_S)
})

test('no time is of the past or too far ahead', () => {
  fc.assert(
    fc.property(fc.nat(), fc.option(fc.nat(), { nil: undefined }), (now, before) => {
      const time = chooseTime(now, before)
      expect(time).toBeGreaterThanOrEqual(now)
      expect(time).toBeLessThan(now + TAKEN_AHEAD_S)
    }),
  )
})
