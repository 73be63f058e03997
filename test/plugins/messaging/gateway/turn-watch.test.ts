/** When a chat is told that a turn takes long, and when the turn is stopped. */
import { expect, test } from 'vitest'
import { type WatchedTurn, watchedFrom, watchTurn } from '../../../../plugins/messaging/gateway/turn-watch.ts'

const limits = { working_notice_seconds: 180, inactivity_seconds: 1800 }

test('a chat is told every three minutes how long the turn has run', () => {
  let turn: WatchedTurn = watchedFrom(1000)
  const told: number[] = []
  for (let now = 1000; now <= 400_000; now += 4000) {
    const step = watchTurn(turn, now, limits)
    if (step.workingMs !== undefined) told.push(step.workingMs)
    turn = step.turn
  }
  expect(told).toEqual([180_000, 360_000])
})

test('a turn is stopped when nothing happens in it, however long it has run', () => {
  const turn = { ...watchedFrom(0), eventAt: 5_000_000 }
  expect(watchTurn(turn, 6_799_999, limits).isStuck).toBe(false)
  const step = watchTurn(turn, 6_800_000, limits)
  expect(step.isStuck).toBe(true)
  expect(watchTurn(step.turn, 6_804_000, limits).isStuck).toBe(false)
})

test('a limit of 0 is none', () => {
  const step = watchTurn(watchedFrom(0), 90_000_000, { working_notice_seconds: 0, inactivity_seconds: 0 })
  expect(step).toEqual({ turn: watchedFrom(0), isStuck: false })
})
