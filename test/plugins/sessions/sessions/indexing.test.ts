import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migrations } from '../../../../plugins/sessions/sessions/migrations.ts'
import { end, type Fixture, here, record, sessionsFixture, start, user } from './support.ts'
import { type Ran, watchedStore } from './watched.ts'

const words = (count: number) => Array.from({ length: count }, (_, at) => user(`needle ${at}`))

function waiting({ storage, folder }: Fixture): number {
  const database = storage.open({ file: join(folder, 'sessions.db'), migrations })
  return Number(database.prepare<{ count: number }>('SELECT count(*) AS count FROM unindexed').get()?.count)
}

test('an import indexes what it brings, so that the first search after it has nothing to do', () => {
  const there = sessionsFixture()
  const archives = [1, 7, 49, 120, 30, 400].map((count) => {
    const session = there.store.create(here)
    record(session, 't1', [start, end], words(count))
    return there.store.export(session.id)
  })
  const fixture = sessionsFixture()
  for (const archive of archives) {
    fixture.store.import(archive)
    expect(waiting(fixture)).toBeLessThan(100)
  }
  expect(fixture.store.search('needle', { limit: 1000 })).toHaveLength(607)
  expect(waiting(fixture)).toBe(0)
  const [long] = archives.slice(-1)
  fixture.store.branch(long?.session.id ?? '')
  expect(waiting(fixture)).toBeLessThan(100)
})

test('a search finds thousands of messages that wait, and indexes a bounded part of them', () => {
  const fixture = sessionsFixture()
  record(fixture.store.create(here), 't1', [start], words(1803))
  expect(waiting(fixture)).toBe(1803)
  const told: Ran[] = []
  const store = watchedStore(fixture, told)
  expect(store.search('needle', { limit: 5000 })).toHaveLength(1803)
  const parts = () => told.filter(({ sql }) => sql.startsWith('DELETE FROM unindexed')).map(({ rows }) => rows)
  expect(parts()).toEqual([50])
  for (let searches = 0; searches < 20; searches++) {
    const newest = store.search('needle', { limit: 3 }).map(({ snippet }) => snippet)
    expect(newest).toEqual(['>>>needle<<< 1802', '>>>needle<<< 1801', '>>>needle<<< 1800'])
    expect(store.search('"needle 17"', { limit: 5000 }).length).toBe(1 + 10 + 100)
  }
  expect(Math.max(...parts())).toBeLessThanOrEqual(500)
  expect(waiting(fixture)).toBe(0)
})

test('a process that runs for long indexes what waits, a part in each step', async () => {
  const fixture = sessionsFixture()
  record(fixture.store.create(here), 't1', [start], words(1803))
  await fixture.clock.advance(60_000)
  const parts: number[] = []
  for (let left = waiting(fixture); left > 0; left = waiting(fixture)) {
    // A second at most: the backup of the new file comes first, and takes real time.
    await fixture.clock.advance(50)
    await new Promise((resolve) => setTimeout(resolve, 1))
    parts.push(left - waiting(fixture))
  }
  expect(Math.max(...parts)).toBeLessThanOrEqual(500)
  expect(parts.filter((part) => part > 0).length).toBeGreaterThan(3)
})

test('an import of a very long conversation leaves the index to later steps, and is found at once', () => {
  const there = sessionsFixture()
  const session = there.store.create(here)
  record(session, 't1', [start, end], words(3000))
  const fixture = sessionsFixture()
  fixture.store.import(there.store.export(session.id))
  expect(waiting(fixture)).toBe(3000)
  expect(fixture.store.search('needle 2999')).toHaveLength(1)
})

test('parts of the index are merged a few pages at a time, and stay few', () => {
  const fixture = sessionsFixture()
  const session = fixture.store.create(here)
  for (let turn = 0; turn < 120; turn++) record(session, `t${turn}`, [start, end], words(50))
  const database = fixture.storage.open({ file: join(fixture.folder, 'sessions.db'), migrations })
  const parts = database
    .prepare<{ count: number }>('SELECT count(DISTINCT segid) AS count FROM message_index_idx')
    .get()
  expect(parts?.count).toBeGreaterThan(1)
  expect(parts?.count).toBeLessThan(40)
  expect(fixture.store.search('needle 49', { limit: 500 })).toHaveLength(120)
})

test('two processes that search at once both find all of it', () => {
  const fixture = sessionsFixture()
  record(fixture.store.create(here), 't1', [start], words(1200))
  const other = fixture.another()
  let isFirst = true
  // The other one searches when this one has seen that something waits.
  const told = Object.assign([] as Ran[], {
    push: ({ sql }: Ran) => {
      if (!sql.includes('FROM unindexed LIMIT 1') || !isFirst) return 0
      isFirst = false
      expect(other.search('needle', { limit: 5000 })).toHaveLength(1200)
      return 0
    },
  })
  expect(watchedStore(fixture, told).search('needle', { limit: 5000 })).toHaveLength(1200)
  expect(isFirst).toBe(false)
})
