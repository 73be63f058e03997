import { BatchSize } from 'svc/sdk'
import { expect, test } from 'vitest'

/** A clock that each row of a batch moves on. */
function machine(first: number) {
  let now = 0
  let msPerRow = 1
  const batch = new BatchSize({ monotonic: () => now }, { first, min: 5, max: 200, targetMs: 20 })
  return {
    batch,
    run: () =>
      batch.run((size) => {
        now += size * msPerRow
        return size
      }),
    set speed(ms: number) {
      msPerRow = ms
    },
  }
}

test('a batch that took long makes the next one smaller, down to the least', () => {
  const { run } = machine(100)
  expect([run(), run(), run()]).toEqual([100, 20, 20])
  const slow = machine(100)
  slow.speed = 50
  expect([slow.run(), slow.run(), slow.run()]).toEqual([100, 5, 5])
})

test('a quick batch lets the next one grow to at most twice its size, up to the most', () => {
  const quick = machine(40)
  quick.speed = 0.01
  expect([quick.run(), quick.run(), quick.run(), quick.run(), quick.run()]).toEqual([40, 80, 160, 200, 200])
})

test('a machine that becomes slow and quick again is followed both ways', () => {
  const shared = machine(20)
  expect(shared.run()).toBe(20)
  shared.speed = 4
  expect([shared.run(), shared.run()]).toEqual([20, 5])
  shared.speed = 1
  expect([shared.run(), shared.run(), shared.run()]).toEqual([5, 10, 20])
})

test('the pause is as long as the batch took, and never shorter than asked for', () => {
  const { batch, run } = machine(100)
  expect(batch.pauseMs(25)).toBe(25)
  run()
  expect(batch.pauseMs(25)).toBe(100)
  run()
  expect(batch.pauseMs(25)).toBe(25)
})

test('a batch that fails is measured, too, and its error passes through', () => {
  let now = 0
  const batch = new BatchSize({ monotonic: () => now }, { first: 100, min: 5, max: 200, targetMs: 20 })
  const fail = () =>
    batch.run(() => {
      now += 200
      throw new Error('the disk is full')
    })
  expect(fail).toThrow('the disk is full')
  expect(batch.size).toBe(10)
})
