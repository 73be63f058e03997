import { join } from 'node:path'
import type { Database } from 'svc/sdk'
import { describe, expect, it } from 'vitest'
import { migrations } from '../../../plugins/sessions/migrations.ts'
import { assistant, end, type Fixture, here, record, sessionsFixture, start, user, wholeTurn } from './support.ts'

const words = (count: number) => Array.from({ length: count }, (_, at) => (at % 2 ? assistant : user)(`word ${at}`))

/** Sessions of a hundred messages each, all indexed. */
function manySessions({ store }: Pick<Fixture, 'store'>, count: number): string[] {
  const ids = Array.from({ length: count }, () => {
    const session = store.create(here)
    record(session, 't1', [start, end], words(100))
    return session.id
  })
  store.search('word')
  return ids
}

/** The tables, and what is left there of sessions that are gone. */
function tablesOf({ storage, folder }: Fixture) {
  const database = storage.open({ file: join(folder, 'sessions.db'), migrations })
  const count = (sql: string) =>
    Number(database.prepare<{ rows: number }>(`SELECT count(*) AS rows ${sql}`).get()?.rows)
  return {
    database,
    sessions: () => count('FROM sessions'),
    indexed: () => count('FROM message_index'),
    orphans: () =>
      ['messages', 'events', 'turns'].map((name) =>
        count(`FROM ${name} WHERE session NOT IN (SELECT number FROM sessions)`),
      ),
  }
}

describe('removing many sessions', () => {
  it('lets others write in between, and leaves alone what they used', async () => {
    const fixture = sessionsFixture()
    const { store, another, clock } = fixture
    const ids = manySessions(fixture, 40)
    const { sessions, database } = tablesOf(fixture)
    const others: string[] = []
    const removal = store.remove(ids)
    const most = []
    for (let left = sessions(), step = 0; step < 20; step++) {
      // Another process has a turn in a session that is to be removed, and begins one of its own.
      if (step === 1) wholeTurn(another().open(ids.at(-1) as string), 't2', 'still needed', 'yes')
      if (step < 3) others.push(another().create(here).id)
      const before = sessions()
      await clock.advance(25)
      most.push(before - sessions())
      left = sessions()
      if (left === others.length + 1) break
    }
    expect(Math.max(...most)).toBeLessThanOrEqual(10)
    expect((await removal).removed).toEqual(ids.slice(0, -1))
    expect(
      store
        .list()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...others, ids.at(-1)].sort())
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  })

  it('that is cut off half-way leaves every session whole or gone', () => {
    const fixture = sessionsFixture()
    const ids = manySessions(fixture, 40)
    // Nobody lets the time pass that it pauses for: the process is gone.
    void fixture.store.remove(ids)
    const { sessions, orphans, indexed } = tablesOf(fixture)
    const left = fixture.another().list()
    expect(left.length).toBeGreaterThan(0)
    expect(left.length).toBeLessThan(40)
    for (const { id } of left) expect(fixture.another().open(id).messages()).toHaveLength(100)
    expect(orphans()).toEqual([0, 0, 0])
    expect(indexed()).toBe(sessions() * 100)
  })

  it('removes the same when the filter names them', async () => {
    const fixture = sessionsFixture()
    const ids = manySessions(fixture, 30)
    const pruning = fixture.store.prune({ surface: 'cli' })
    expect(fixture.store.list().length).toBeGreaterThan(0)
    await fixture.clock.advance(1000)
    expect((await pruning).removed.map(({ id }) => id).sort()).toEqual(ids.sort())
    expect(fixture.store.list()).toEqual([])
  })

  it('does not rewrite the index, also in a file that an earlier version made', async () => {
    const fixture = sessionsFixture()
    const { storage, folder, clock } = fixture
    const file = join(folder, 'sessions.db')
    await storage.open({ file, migrations: migrations.slice(0, 6) }).close()
    const { another, store } = fixture
    const ids = manySessions({ store }, 40)
    const { database } = tablesOf(fixture)
    const before = segments(database)
    expect(before.length).toBeGreaterThan(3)
    const removal = another().remove(ids.slice(0, 30))
    await clock.advance(1000)
    await removal
    expect(segments(database)).toEqual(expect.arrayContaining(before))
    expect(store.search('word 7', { limit: 1000 })).not.toEqual([])
  })
})

/** The pages of the index that hold terms; those with the first ids are its totals and its plan. */
function segments(database: Database) {
  return database.prepare(`SELECT id, hex(block) AS block FROM message_index_data WHERE id > 10`).all()
}
