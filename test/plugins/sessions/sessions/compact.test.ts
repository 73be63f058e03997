import { join } from 'node:path'
import type { Database } from 'svc/sdk/storage'
import { expect, test } from 'vitest'
import { migrations } from '../../../../plugins/sessions/sessions/migrations.ts'
import { assistant, end, type Fixture, finished, here, record, sessionsFixture, start, user } from './support.ts'

const minuteMs = 60_000
const letters = 'abcdefghijklmnopqrstuvwxyz'

/** Words of which no two sessions have many in common. */
function createText(seed: number): string {
  let state = seed * 7919 + 17
  const next = () => {
    state = (state * 1103515245 + 12345) % 2 ** 31
    return letters[Math.floor((state / 2 ** 31) * 26)]
  }
  return Array.from({ length: 40 }, () => `${next()}${next()}${next()}${next()}`).join(' ')
}

/** Sessions of a hundred messages, all indexed, of which the first are removed. */
async function thinnedOut({ store, clock }: Fixture, count: number, removed: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, at) => {
    const session = store.create(here)
    const messages = Array.from({ length: 100 }, (_, each) =>
      (each % 2 ? assistant : user)(createText(at * 100 + each)),
    )
    record(session, 't1', [start, end], messages)
    return session.id
  })
  // Each search indexes a part of what waits.
  for (let search = 0; search < 20; search++) store.search('word')
  await finished(clock, store.remove(ids.slice(0, removed)))
  return ids.slice(removed)
}

function indexOf({ storage, folder }: Fixture) {
  const database = storage.open({ file: join(folder, 'sessions.db'), migrations })
  const size = (from: number) =>
    Number(
      database
        .prepare('SELECT coalesce(sum(length(block)), 0) AS bytes FROM message_index_data WHERE id >= ?')
        .get(from)?.['bytes'],
    )
  return { database, bytes: () => size(0), marks: () => size(2 ** 53) }
}

const pages = (database: Database) => Number(database.prepare('PRAGMA page_count').get()?.['page_count'])

test('the index shrinks by itself after a removal, a few pages in each commit', async () => {
  const fixture = sessionsFixture()
  const { store, clock } = fixture
  const left = await thinnedOut(fixture, 60, 40)
  const { bytes, marks, database } = indexOf(fixture)
  const before = { bytes: bytes(), pages: pages(database) }
  expect(marks()).toBeGreaterThan(0)
  let steps = 0
  for (let passed = 0; passed < 2 * minuteMs && marks() > 0; passed += 50) {
    const size = bytes()
    await clock.advance(50)
    if (size !== bytes()) steps++
  }
  expect(steps).toBeGreaterThan(5)
  expect(marks()).toBe(0)
  expect(bytes()).toBeLessThan(before.bytes * 0.6)
  await clock.advance(10 * minuteMs)
  expect(pages(database)).toBeLessThan(before.pages * 0.7)
  const said = createText(Number(59) * 100 + 7)
  expect(store.search(`"${said}"`).map(({ sessionId }) => sessionId)).toEqual([left.at(-1)])
  expect(store.search(`"${createText(7)}"`)).toEqual([])
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
})

test('a little that was removed is left in the index', async () => {
  const fixture = sessionsFixture()
  await thinnedOut(fixture, 30, 1)
  const { marks } = indexOf(fixture)
  const before = marks()
  await fixture.clock.advance(5 * minuteMs)
  expect(marks()).toBe(before)
})

test('compacting makes a file of an earlier version small, and able to shrink by itself from then on', async () => {
  const fixture = sessionsFixture()
  const { store, clock, storage, folder } = fixture
  const file = join(folder, 'sessions.db')
  const old = storage.open({ file, migrations })
  old.exec('PRAGMA auto_vacuum = NONE; VACUUM')
  await old.close()
  const left = await thinnedOut(fixture, 60, 40)
  const told: string[] = []
  const compacting = store.compact({ progress: (part) => told.push(part) })
  const { before, after } = await finished(clock, compacting)
  expect(after).toBeLessThan(before * 0.6)
  expect(new Set(told)).toEqual(new Set(['index', 'file']))
  expect(told.at(-1)).toBe('file')
  const { database } = indexOf(fixture)
  expect([before, after].map((bytes) => bytes % 4096)).toEqual([0, 0])
  expect(pages(database) * 4096).toBe(after)
  expect(database.prepare('PRAGMA auto_vacuum').get()).toEqual({ auto_vacuum: 2 })
  expect(store.list().map(({ id }) => id)).toEqual(expect.arrayContaining(left))
  expect(store.search(`"${createText(5907)}"`)).toHaveLength(1)
})

test('a file that can give pages back is compacted in steps, also while a turn is at work', async () => {
  const fixture = sessionsFixture()
  const { store, another, clock } = fixture
  const [id = ''] = (await thinnedOut(fixture, 60, 40)).slice(-1)
  const { database, marks } = indexOf(fixture)
  record(another().open(id), 't2', [start], [user('wait')])
  const told: [string, number][] = []
  let written = 0
  const compacting = store.compact({
    progress: (part, steps) => {
      told.push([part, steps])
      // Another process writes between the steps.
      record(another().open(id), 't2', [], [assistant(`step ${++written}`)])
    },
  })
  const { before, after } = await finished(clock, compacting)
  expect(after).toBeLessThan(before * 0.7)
  expect(marks()).toBe(0)
  expect(new Set(told.map(([part]) => part))).toEqual(new Set(['index', 'space']))
  expect(database.prepare('PRAGMA freelist_count').get()).toEqual({ freelist_count: 0 })
  expect(written).toBeGreaterThan(0)
  expect(store.open(id).messages()).toHaveLength(101 + written)
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
})

test('a file of an earlier version is not rewritten while a turn is at work, also one of another process that begins on the way', async () => {
  const fixture = sessionsFixture()
  const { store, another, clock, storage, folder } = fixture
  const old = storage.open({ file: join(folder, 'sessions.db'), migrations })
  old.exec('PRAGMA auto_vacuum = NONE; VACUUM')
  await old.close()
  const [id = ''] = (await thinnedOut(fixture, 30, 20)).slice(-1)
  const { database } = indexOf(fixture)
  const before = pages(database)
  const compacting = store.compact()
  const refused = expect(compacting).rejects.toMatchObject({ code: 'SESSION_IN_USE', status: 409 })
  record(another().open(id), 't2', [start], [user('wait')])
  await finished(
    clock,
    compacting.catch(() => {}),
  )
  await refused
  expect(pages(database)).toBeGreaterThanOrEqual(before)
  await expect(store.compact()).rejects.toMatchObject({ code: 'SESSION_IN_USE' })
})
