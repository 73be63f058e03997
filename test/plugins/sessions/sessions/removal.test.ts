import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'svc/sdk/storage'
import { describe, expect, it } from 'vitest'
import { migrations } from '../../../../plugins/sessions/sessions/migrations.ts'
import { readArchives } from '../../../../plugins/sessions/sessions-cli/archive-reader.ts'
import {
  assistant,
  end,
  type Fixture,
  finished,
  here,
  record,
  sessionsFixture,
  start,
  user,
  wholeTurn,
} from './support.ts'
import { type Ran, watchedStore } from './watched.ts'

const words = (count: number) => Array.from({ length: count }, (_, at) => (at % 2 ? assistant : user)(`word ${at}`))

/** Sessions of a hundred messages each, all indexed. */
function manySessions({ store }: Pick<Fixture, 'store'>, count: number): string[] {
  const ids = Array.from({ length: count }, () => {
    const session = store.create(here)
    record(session, 't1', [start, end], words(100))
    return session.id
  })
  // Each search indexes a part of what waits.
  for (let search = 0; search < 20; search++) store.search('word')
  return ids
}

/** The tables, and what is left there of sessions that are gone. */
function countTables({ storage, folder }: Fixture) {
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
    const { sessions, database } = countTables(fixture)
    const others: string[] = []
    const removal = store.remove(ids)
    const gone = []
    for (let step = 0; sessions() > others.length + 1; step++) {
      // Another process has a turn in a session that is to be removed, and begins one of its own.
      if (step === 1) wholeTurn(another().open(ids.at(-1) as string), 't2', 'still needed', 'yes')
      if (step < 3) others.push(another().create(here).id)
      const before = sessions()
      await clock.advance(25)
      await new Promise((resolve) => setImmediate(resolve))
      gone.push(before - sessions())
    }
    expect(Math.max(...gone)).toBeLessThanOrEqual(10)
    expect((await finished(clock, removal)).removed).toEqual(ids.slice(0, -1))
    expect(
      store
        .list()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...others, ids.at(-1)].sort())
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  })

  it('that is cut off half-way leaves every session whole or gone', async () => {
    const fixture = sessionsFixture()
    const ids = manySessions(fixture, 40)
    // No one lets the time pass that it pauses for: the process is gone.
    void fixture.store.remove(ids)
    const { sessions, orphans, indexed } = countTables(fixture)
    await expect.poll(() => fixture.another().list().length, { timeout: 10_000 }).toBeLessThan(40)
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
    expect((await finished(fixture.clock, pruning)).removed.map(({ id }) => id).sort()).toEqual(ids.sort())
    expect(fixture.store.list()).toEqual([])
  })

  it('does not rewrite the index, also in a file that an earlier version made', async () => {
    const fixture = sessionsFixture()
    const { storage, folder, clock } = fixture
    const file = join(folder, 'sessions.db')
    await storage.open({ file, migrations: migrations.slice(0, 6) }).close()
    const { another, store } = fixture
    const ids = manySessions({ store }, 40)
    const { database } = countTables(fixture)
    const before = segments(database)
    expect(before.length).toBeGreaterThan(3)
    await finished(clock, another().remove(ids.slice(0, 30)))
    expect(segments(database)).toEqual(expect.arrayContaining(before))
    expect(store.search('word 7', { limit: 1000 })).not.toEqual([])
  })
})

/** The pages of the index that hold terms; those with the first ids are its totals and its plan. */
function segments(database: Database) {
  return database.prepare(`SELECT id, hex(block) AS block FROM message_index_data WHERE id > 10`).all()
}

/** Rows that each transaction deleted. */
function rowsDeleted(told: readonly Ran[]): number[] {
  const deleted = [0]
  for (const { sql, rows } of told)
    if (sql === 'COMMIT') deleted.push(0)
    else if (sql.startsWith('DELETE')) deleted.push((deleted.pop() ?? 0) + rows)
  return deleted.filter((rows) => rows > 0)
}

describe('removing one huge session', () => {
  const turns = 1500
  const fill = ({ store }: Pick<Fixture, 'store'>) => {
    const session = store.create(here)
    for (let turn = 0; turn < turns; turn++)
      record(session, `t${turn}`, [start, end], [user(`question ${turn}`), assistant(`answer ${turn}`)])
    return session
  }

  it('deletes a bounded number of rows in each transaction, and lets others write between them', async () => {
    const fixture = sessionsFixture()
    const { store, another, clock } = fixture
    const session = fill(fixture)
    const kept = store.create(here)
    const told: Ran[] = []
    const removal = watchedStore(fixture, told).remove([session.id])
    const counts = { commits: 0, written: 0 }
    for (let isDone = false; !isDone; ) {
      isDone = (await Promise.race([removal, clock.advance(1).then(() => undefined)])) !== undefined
      await new Promise((resolve) => setTimeout(resolve, 1))
      const commits = rowsDeleted(told).length
      // Another process writes after each commit.
      if (commits > counts.commits)
        another()
          .open(kept.id)
          .record({ turnId: `w${counts.written++}`, events: [start, end] })
      counts.commits = commits
    }
    expect((await removal).removed).toEqual([session.id])
    const deleted = rowsDeleted(told)
    expect(deleted.reduce((sum, rows) => sum + rows, 0)).toBe(turns * 4 + 1)
    expect(Math.max(...deleted)).toBeLessThanOrEqual(501)
    expect(counts.written).toBeGreaterThan(3)
    const { database } = countTables(fixture)
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  })

  it('also bounds the bytes: rows of megabytes go one at a time', async () => {
    const fixture = sessionsFixture()
    const { store, clock } = fixture
    const session = store.create(here)
    for (let turn = 0; turn < 20; turn++) record(session, `t${turn}`, [start, end], [assistant('x'.repeat(1_500_000))])
    const told: Ran[] = []
    await finished(clock, watchedStore(fixture, told).remove([session.id]))
    const messages = rowsDeleted(told.filter(({ sql }) => sql === 'COMMIT' || sql.startsWith('DELETE FROM messages')))
    expect(messages.reduce((sum, rows) => sum + rows, 0)).toBe(20)
    expect(Math.max(...messages)).toBeLessThanOrEqual(2)
  })

  it('hides it with the first commit: no one sees, finds, opens or adds to a half', async () => {
    const fixture = sessionsFixture()
    const { store, another, clock } = fixture
    const session = fill(fixture)
    const held = another().open(session.id)
    const archive = store.export(session.id)
    const removal = store.remove([session.id])
    await expect.poll(() => another().list().length, { timeout: 10_000 }).toBe(0)
    const { orphans, database } = countTables(fixture)
    expect(Number(database.prepare('SELECT count(*) AS n FROM messages').get()?.['n'])).toBeGreaterThan(0)
    const other = another()
    expect(other.latest()).toBeUndefined()
    expect(other.search('question 14')).toEqual([])
    expect(other.stats()).toMatchObject({ sessions: 0, messages: 0, surfaces: [] })
    expect(other.count()).toBe(0)
    expect(() => other.open(session.id)).toThrow('There is no session')
    expect(() => other.export(session.id)).toThrow('There is no session')
    expect(held.messages()).toEqual([])
    expect(held.events()).toEqual([])
    const add = () => record(held, 't-late', [start], [user('still there?')])
    expect(add).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }))
    // The way back is open from the first commit on.
    other.import(archive)
    expect(other.open(session.id).messages()).toHaveLength(turns * 2)
    await finished(clock, removal)
    expect(other.open(session.id).messages()).toHaveLength(turns * 2)
    expect(orphans()).toEqual([0, 0, 0])
  })

  it('that a crash cut off is finished by the next process, and its copy brings all of it back', async () => {
    const fixture = sessionsFixture()
    const { store, another, clock, folder } = fixture
    const session = fill(fixture)
    const said = session.messages()
    void store.remove([session.id])
    await expect.poll(() => another().list().length, { timeout: 10_000 }).toBe(0)
    const { database, sessions } = countTables(fixture)
    expect(sessions()).toBe(1)
    // Upkeep of a process that has the file open for a minute; the one that died asks for nothing more.
    await clock.advance(3 * 60_000)
    expect(sessions()).toBe(0)
    expect(database.prepare('SELECT count(*) AS n FROM messages').get()).toEqual({ n: 0 })
    const [copy = ''] = readdirSync(join(folder, 'trash'))
    for await (const archive of readArchives(join(folder, 'trash', copy))) another().import(archive)
    expect(another().open(session.id).messages()).toEqual(said)
  })
})

describe('a copy in the trash', () => {
  it('that is written in parts is the same as an export', async () => {
    const fixture = sessionsFixture()
    const { store, clock, folder } = fixture
    const session = store.create({ ...here, title: 'all there is' })
    session.setSystemPrompt('Be brief. "Quoted", \u2028 and \ud800.')
    const digest = session.keep('the definitions of tools')
    for (let turn = 0; turn < 600; turn++)
      record(
        session,
        `t${turn}`,
        [{ ...start, tools: digest } as typeof start, end],
        [user(`q ${turn} "\n`), assistant('a')],
      )
    session.compress({ from: 0, to: 10, summary: [user('what was said')] })
    const empty = store.create(here)
    const archives = [store.export(session.id), store.export(empty.id)]
    await finished(clock, store.remove([session.id, empty.id]))
    const [copy = ''] = readdirSync(join(folder, 'trash'))
    const lines = readFileSync(join(folder, 'trash', copy), 'utf8')
      .trimEnd()
      .split('\n')
    const mark = { format: 'svc-session', version: 1 }
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      archives.map((archive) => JSON.parse(JSON.stringify({ ...mark, ...archive }))),
    )
  })

  it('of a session that was used while it was copied does not cost what was added', async () => {
    const fixture = sessionsFixture()
    const { store, another, clock } = fixture
    const session = store.create(here)
    for (let turn = 0; turn < 600; turn++) record(session, `t${turn}`, [start, end], [user(`q ${turn}`)])
    const removal = store.remove([session.id])
    // The copy of a long session yields to the event loop.
    another()
      .open(session.id)
      .record({ turnId: 't-new', events: [], messages: [user('one more')] })
    expect((await finished(clock, removal)).removed).toEqual([])
    expect(another().open(session.id).messages()).toHaveLength(601)
    expect(readdirSync(join(fixture.folder, 'trash'))).toEqual([])
  })
})
