import { readdirSync, statSync } from 'node:fs'
import Driver from 'better-sqlite3'
import type { Database } from 'svc/sdk/storage'
import { expect, test, vi } from 'vitest'
import { type Fixture, notes, storageFixture } from './support.ts'

const minuteMs = 60_000
const page = 4096

/** A file of which nearly all can go: at least `pages` free ones. */
async function roomy({ storage, file, folder, clock }: Fixture, pages: number) {
  const database = storage.open({ file, migrations: notes })
  database.transaction(() => {
    for (let at = 0; at < pages; at++)
      database.prepare('INSERT INTO notes (text) VALUES (?)').run(`${at}`.padEnd(page - 100))
  })
  database.prepare("INSERT INTO notes (text) VALUES ('milk')").run()
  database.exec("DELETE FROM notes WHERE text <> 'milk'")
  // While a backup is under way there are no steps.
  await clock.advance(20_000)
  const parts = () => readdirSync(folder).filter((name) => name.includes('-part-'))
  await vi.waitFor(() => expect(parts()).toEqual([]), { timeout: 10_000 })
  return database
}

const count = (database: Database, name: string) =>
  Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0])

test('free pages go back to the disk a few at a time, while others write in between', async () => {
  const fixture = storageFixture()
  const database = await roomy(fixture, 1000)
  const other = new Driver(fixture.file)
  const sizes = [count(database, 'page_count')]
  await fixture.clock.advance(minuteMs - 20_000)
  for (let step = 0; step < 100 && count(database, 'freelist_count') > 0; step++) {
    other.prepare('INSERT INTO notes (text) VALUES (?)').run(`bread ${step}`)
    sizes.push(count(database, 'page_count'))
    await fixture.clock.advance(50)
  }
  sizes.push(count(database, 'page_count'))
  const steps = sizes.slice(1).map((size, at) => (sizes[at] as number) - size)
  expect(Math.max(...steps)).toBeLessThanOrEqual(210)
  expect(sizes.at(-1)).toBeLessThan(50)
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  await database.close()
  other.close()
  expect(statSync(fixture.file).size).toBeLessThan(60 * page)
})

test('little that is free stays, to be used again', async () => {
  const fixture = storageFixture()
  const database = await roomy(fixture, 80)
  const before = count(database, 'freelist_count')
  await fixture.clock.advance(10 * minuteMs)
  expect(count(database, 'freelist_count')).toBe(before)
})

test('a file that cannot give pages back is left as it is', async () => {
  const fixture = storageFixture()
  const old = new Driver(fixture.file)
  old.exec('PRAGMA journal_mode = WAL; CREATE TABLE before (a)')
  old.close()
  const database = await roomy(fixture, 1000)
  const before = count(database, 'page_count')
  await fixture.clock.advance(10 * minuteMs)
  expect(count(database, 'page_count')).toBe(before)
  expect(fixture.lines).not.toContainEqual(expect.stringContaining('warn'))
})

test('a step of the owner comes again after a pause as long as there is more, and an hour later', async () => {
  const fixture = storageFixture()
  let left = 3
  const asked: number[] = []
  const database = fixture.storage.open({
    file: fixture.file,
    migrations: notes,
    upkeep: () => {
      asked.push(fixture.clock.now())
      return --left > 0
    },
  })
  const start = fixture.clock.now()
  await fixture.clock.advance(10 * minuteMs)
  expect(asked.map((at) => at - start)).toEqual([60_000, 60_050, 60_100])
  await fixture.clock.advance(60 * minuteMs)
  expect(asked).toHaveLength(4)
  await database.close()
  await fixture.clock.advance(120 * minuteMs)
  expect(asked).toHaveLength(4)
})

test('a step does not wait for the lock of another process, and is taken once that is gone', async () => {
  const fixture = storageFixture()
  const database = await roomy(fixture, 1000)
  const before = count(database, 'page_count')
  const other = new Driver(fixture.file)
  other.exec('BEGIN IMMEDIATE')
  const started = performance.now()
  await fixture.clock.advance(minuteMs + 5000)
  expect(performance.now() - started).toBeLessThan(4000)
  expect(count(database, 'page_count')).toBe(before)
  other.exec('ROLLBACK')
  other.close()
  await fixture.clock.advance(minuteMs)
  expect(count(database, 'page_count')).toBeLessThan(before / 2)
  // What its owner writes waits as long as ever.
  expect(count(database, 'busy_timeout')).toBe(5000)
})

test('a step that fails is told of, and is tried again an hour later', async () => {
  const fixture = storageFixture()
  let asked = 0
  fixture.storage.open({
    file: fixture.file,
    migrations: notes,
    upkeep: () => {
      asked++
      throw new Error('out of order')
    },
  })
  await fixture.clock.advance(10 * minuteMs)
  expect(fixture.lines.filter((line) => line.includes('out of order'))).toHaveLength(1)
  await fixture.clock.advance(60 * minuteMs)
  expect(asked).toBe(2)
})
