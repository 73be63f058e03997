import { BatchSize, RowPruner } from 'svc/sdk/storage'
import { expect, test } from 'vitest'
import { storageFixture } from '../plugins/sessions/storage/support.ts'

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

test('old rows go a part at a time, each in its own transaction, and the others stay', () => {
  const { storage, clock, file } = storageFixture()
  const migrations = ['CREATE TABLE notes (number INTEGER PRIMARY KEY, at INTEGER NOT NULL, text TEXT NOT NULL)']
  const database = storage.open({ file, migrations })
  const add = database.prepare('INSERT INTO notes (at, text) VALUES (?, ?)')
  database.transaction(() => {
    for (let at = 0; at < 5000; at++) add.run(at, `note ${at}`)
  })
  const pruner = new RowPruner(clock, { table: 'notes', where: 'at < ?', returning: 'text' })
  const parts: string[][] = []
  for (let hasMore = true; hasMore; ) {
    const step = pruner.step<string>(database, 4000)
    parts.push(step.gone)
    hasMore = step.hasMore
  }
  expect(new Set(parts.flat()).size).toBe(4000)
  expect(parts.length).toBeGreaterThan(5)
  expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(500)
  expect(database.prepare('SELECT count(*) AS left, min(at) AS first FROM notes').get()).toEqual({
    left: 1000,
    first: 4000,
  })
})
