import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migrations } from '../../../plugins/sessions/migrations.ts'
import { SessionStore } from '../../../plugins/sessions/store.ts'
import { countingRandom } from '../storage/support.ts'
import { end, type Fixture, here, record, sessionsFixture, start, user } from './support.ts'
import { type Ran, watched } from './watched.ts'

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

test('a search that finds thousands of messages waiting indexes them a part at a time', () => {
  const fixture = sessionsFixture()
  const { storage, store, folder, clock, processes } = fixture
  record(store.create(here), 't1', [start], words(1803))
  expect(waiting(fixture)).toBe(1803)
  const told: Ran[] = []
  const file = join(folder, 'sessions.db')
  const ports = { storage: () => watched(storage, told), file, clock, random: countingRandom(), processes, trash: '' }
  expect(new SessionStore(ports).search('needle', { limit: 5000 })).toHaveLength(1803)
  const parts = told.filter(({ sql }) => sql.startsWith('DELETE FROM unindexed')).map(({ rows }) => rows)
  expect(parts).toEqual([500, 500, 500, 303])
  expect(waiting(fixture)).toBe(0)
})

test('two processes that search at once both find all of it', () => {
  const fixture = sessionsFixture()
  const { storage, store, another, folder, clock, processes } = fixture
  record(store.create(here), 't1', [start], words(1200))
  const other = another()
  let isFirst = true
  // The other one searches when this one has seen what waits.
  const told = Object.assign([] as Ran[], {
    push: ({ sql }: Ran) => {
      if (sql !== 'SELECT max(id) AS id FROM unindexed' || !isFirst) return 0
      isFirst = false
      expect(other.search('needle', { limit: 5000 })).toHaveLength(1200)
      return 0
    },
  })
  const file = join(folder, 'sessions.db')
  const ports = { storage: () => watched(storage, told), file, clock, random: countingRandom(), processes, trash: '' }
  expect(new SessionStore(ports).search('needle', { limit: 5000 })).toHaveLength(1200)
  expect(waiting(fixture)).toBe(0)
})
