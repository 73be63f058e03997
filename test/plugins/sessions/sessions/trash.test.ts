import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionArchive } from 'svc/sdk/sessions'
import { expect, test } from 'vitest'
import { type Fixture, here, sessionsFixture, wholeTurn } from './support.ts'

const DAY = 86_400_000

const copiesIn = ({ folder }: Fixture) => {
  const trash = join(folder, 'trash')
  return existsSync(trash) ? readdirSync(trash).map((name) => join(trash, name)) : []
}

const readCopy = (file = ''): (SessionArchive & { format: string; version: number })[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

function talk({ store }: Fixture, title: string): string {
  const session = store.create(here)
  wholeTurn(session, 't1', title, 'yes')
  return session.id
}

test('anyone who removes, by id or by filter, is told of a file that brings all of it back as it was', async () => {
  const fixture = sessionsFixture()
  const { store } = fixture
  const ids = ['one', 'two', 'three'].map((title) => talk(fixture, title))
  const before = ids.map((id) => store.export(id))
  const [first = '', ...rest] = ids
  const one = await store.remove([first])
  const others = await store.prune({ surface: 'cli' })
  expect(one.removed).toEqual([first])
  expect(others.removed.map(({ id }) => id).sort()).toEqual(rest.sort())
  expect(copiesIn(fixture).sort()).toEqual([one.backup, others.backup].sort())
  for (const { format, version, ...archive } of [one, others].flatMap(({ backup }) => readCopy(backup))) {
    expect([format, version]).toEqual(['svc-session', 1])
    store.import(archive)
  }
  expect(ids.map((id) => store.export(id))).toEqual(before)
})

test('a removal that removes nothing leaves no file', async () => {
  const fixture = sessionsFixture()
  talk(fixture, 'one')
  expect(await fixture.store.prune({ surface: 'api' })).toEqual({ removed: [] })
  expect((await fixture.store.prune({}, { dryRun: true })).removed).toHaveLength(1)
  expect(copiesIn(fixture)).toEqual([])
})

test('what can have no copy stays, also when the disk fails on the way', async () => {
  const fixture = sessionsFixture()
  const id = talk(fixture, 'one')
  writeFileSync(join(fixture.folder, 'trash'), 'in the way')
  const failed = { code: 'SESSION_TRASH', message: expect.stringContaining('Nothing was removed') }
  await expect(fixture.store.remove([id])).rejects.toMatchObject(failed)
  await expect(fixture.store.prune({})).rejects.toMatchObject(failed)
  expect(fixture.store.list()).toHaveLength(1)
})

test('a copy goes after a month, files of others stay', async () => {
  const fixture = sessionsFixture()
  const { store, clock, folder } = fixture
  const { backup: old = '' } = await store.remove([talk(fixture, 'old')])
  const notOurs = ['notes.txt', 'sessions-mine.jsonl'].map((name) => join(folder, 'trash', name))
  for (const file of notOurs) writeFileSync(file, '')
  await clock.advance(29 * DAY)
  talk(fixture, 'used')
  const { backup: young } = await store.remove([talk(fixture, 'young')])
  expect(existsSync(old)).toBe(true)
  await clock.advance(2 * DAY)
  const { backup: now } = await store.remove([talk(fixture, 'now')])
  expect(copiesIn(fixture).sort()).toEqual([young, now, ...notOurs].sort())
})

test('a clock that jumped ahead takes no copy away', async () => {
  const fixture = sessionsFixture()
  const { store, clock } = fixture
  talk(fixture, 'stays')
  const { backup: old } = await store.remove([talk(fixture, 'old')])
  await clock.advance(40 * DAY)
  // Used since the jump: it says nothing of the time before.
  const { backup: now } = await store.remove([talk(fixture, 'one'), talk(fixture, 'two')])
  expect(copiesIn(fixture).sort()).toEqual([old, now].sort())
})

test('copies together take a gigabyte at most; the newest stays whatever its size', async () => {
  const fixture = sessionsFixture()
  const { store, clock } = fixture
  const files: string[] = []
  for (const title of ['one', 'two', 'three']) {
    const { backup = '' } = await store.remove([talk(fixture, title)])
    // Files with holes take no room on the disk of the test.
    truncateSync(backup, 600 * 1024 ** 2)
    files.push(backup)
    await clock.advance(DAY)
  }
  expect(copiesIn(fixture).length).toBeLessThan(3)
  const { backup = '' } = await store.remove([talk(fixture, 'four')])
  expect(copiesIn(fixture).sort()).toEqual([files.at(-1), backup].sort())
})
