import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { Database } from 'svc/sdk/storage'
import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, it } from 'vitest'
import { type Fixture, notes, storageFixture } from './support.ts'

const minuteMs = 60_000
const dayMs = 1440 * minuteMs
/** For what takes milliseconds unless the machine is very busy. */
const patience = { timeout: 10_000 }

function openNotes(fixture: Fixture, ...texts: string[]): Database {
  const database = fixture.storage.open({ file: fixture.file, migrations: notes })
  for (const text of texts) database.prepare('INSERT INTO notes (text) VALUES (?)').run(text)
  return database
}

const getBackup = ({ file }: Fixture) => `${file}.backup`
const backedUp = (fixture: Fixture) =>
  fixture.storage
    .open({ file: getBackup(fixture), migrations: notes })
    .prepare('SELECT text FROM notes ORDER BY id')
    .all()
    .map((row) => row['text'])
const backupDone = (fixture: Fixture, count: number) =>
  expect.poll(() => fixture.lines.filter((line) => line.startsWith('debug backed up')).length, patience).toBe(count)

describe('the rolling backup', () => {
  it('is taken while the database is in use, once a day, for the user alone', async () => {
    const fixture = storageFixture()
    const database = openNotes(fixture, 'milk')
    await fixture.clock.advance(minuteMs)
    await backupDone(fixture, 1)
    expect((statSync(getBackup(fixture)).mode & 0o777).toString(8)).toBe('600')

    database.prepare('INSERT INTO notes (text) VALUES (?)').run('bread')
    await fixture.clock.advance(23 * 60 * minuteMs)
    expect(fixture.lines).toHaveLength(1)
    await fixture.clock.advance(2 * 60 * minuteMs)
    await backupDone(fixture, 2)
    expect(backedUp(fixture)).toEqual(['milk', 'bread'])
  })

  it('is taken at once where an empty file stands in its place', async () => {
    const fixture = storageFixture()
    openNotes(fixture, 'milk')
    writeFileSync(getBackup(fixture), '')
    await fixture.clock.advance(minuteMs)
    await backupDone(fixture, 1)
    expect(backedUp(fixture)).toEqual(['milk'])
  })

  it('is whole, and gets done, although others write all the time', async () => {
    const fixture = storageFixture()
    const long = 'x'.repeat(3000)
    const texts = Array.from({ length: 800 }, (_, i) => `${i} ${long}`)
    const database = openNotes(fixture)
    const other = fixture.storage.open({ file: fixture.file, migrations: notes })
    database.transaction(() => {
      for (const text of texts) database.prepare('INSERT INTO notes (text) VALUES (?)').run(text)
    })
    const change = (writer: Database, count: number) =>
      writer.transaction(() => {
        for (const id of [1, 800]) writer.prepare('UPDATE notes SET text = ? WHERE id = ?').run(`${count} of ${id}`, id)
      })
    change(other, 0)
    await fixture.clock.advance(minuteMs)
    for (let count = 1; !existsSync(getBackup(fixture)); count++) {
      change(count % 2 ? database : other, count)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const [first, ...rest] = backedUp(fixture) as string[]
    expect(rest.slice(0, -1)).toEqual(texts.slice(1, -1))
    expect(rest.at(-1)?.replace('of 800', 'of 1')).toBe(first)
  })

  it('costs a short run nothing: a young file is not backed up when it is closed', async () => {
    const fixture = storageFixture()
    await openNotes(fixture, 'milk').close()
    expect(readdirSync(fixture.folder)).toEqual(['notes.db', 'notes.db.used'])
  })

  it('is taken at the end of a short run when the last one is older than a day', async () => {
    const fixture = storageFixture(virtualClock(Date.now() + 2 * dayMs))
    await openNotes(fixture, 'milk').close()
    expect(backedUp(fixture)).toEqual(['milk'])
    await openNotes(fixture, 'bread').close()
    expect(backedUp(fixture)).toEqual(['milk'])
  })

  it('does not hold up the end of a run for a large file', async () => {
    const fixture = storageFixture(virtualClock(Date.now() + 2 * dayMs))
    const database = openNotes(fixture, 'x'.repeat(5 * 1024 * 1024))
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    expect(database.close()).toBeUndefined()
    expect(readdirSync(fixture.folder)).toEqual(['notes.db', 'notes.db.used'])
  })

  it('is taken at the end of a short run of any size once there was none for three days', async () => {
    const fixture = storageFixture(virtualClock(Date.now() + 4 * dayMs))
    const large = 'x'.repeat(5 * 1024 * 1024)
    await openNotes(fixture, large).close()
    expect(backedUp(fixture)).toEqual([large])
  })

  it('leaves the one before it, and one with much more in it for a month', async () => {
    const fixture = storageFixture(virtualClock(Date.now() + 2 * dayMs))
    const previous = () => {
      const database = fixture.storage.open({ file: `${getBackup(fixture)}-previous`, migrations: notes })
      return database.prepare('SELECT count(*) AS count FROM notes').get()?.['count']
    }
    const many = Array.from({ length: 200 }, (_, at) => `${at}`.padEnd(2000, '.'))
    await openNotes(fixture, ...many).close()
    const nextDay = async (...texts: string[]) => {
      await fixture.clock.advance(dayMs)
      await openNotes(fixture, ...texts).close()
    }
    await nextDay('milk')
    expect(previous()).toBe(200)
    await fixture.clock.advance(dayMs)
    const database = openNotes(fixture)
    database.exec("DELETE FROM notes WHERE text <> 'milk'; VACUUM")
    await database.close()
    expect(previous()).toBe(201)
    await nextDay('bread')
    await nextDay('eggs')
    expect(backedUp(fixture)).toEqual(['milk', 'bread', 'eggs'])
    expect(previous()).toBe(201)
    await fixture.clock.advance(31 * dayMs)
    await nextDay('salt')
    expect(previous()).toBe(3)
  })

  it('is given up when the database is closed meanwhile, and leaves nothing behind', async () => {
    const fixture = storageFixture()
    const database = openNotes(fixture)
    database.transaction(() => {
      for (let i = 0; i < 5000; i++) database.prepare('INSERT INTO notes (text) VALUES (?)').run(`${i}`.padEnd(3000))
    })
    await fixture.clock.advance(15_000)
    expect(readdirSync(fixture.folder).some((name) => name.includes('-part-'))).toBe(true)
    await database.close()
    expect(readdirSync(fixture.folder)).toEqual(['notes.db', 'notes.db.used'])
    expect(fixture.clock.pending()).toBe(0)
  })

  it('is not replaced by an empty database', async () => {
    const fixture = storageFixture(virtualClock(Date.now() + 2 * dayMs))
    await openNotes(fixture, 'milk').close()
    await fixture.clock.advance(2 * dayMs)
    const database = openNotes(fixture)
    database.exec('DELETE FROM notes')
    await database.close()
    expect(backedUp(fixture)).toEqual(['milk'])
  })

  it('is not replaced by an empty database with a search index, which itself is never empty', async () => {
    const fixture = storageFixture(virtualClock(Date.now() + 2 * dayMs))
    await openNotes(fixture, 'milk').close()
    await fixture.clock.advance(2 * dayMs)
    const database = openNotes(fixture)
    database.exec('DELETE FROM notes; CREATE VIRTUAL TABLE found USING fts5(text)')
    await database.close()
    expect(backedUp(fixture)).toEqual(['milk'])
  })

  it('finds damage that no one has read yet, keeps the one before it, and has the file repaired next time', async () => {
    const fixture = storageFixture(virtualClock(Date.now() + 2 * dayMs))
    const rows = Array.from({ length: 200 }, (_, i) => `${i}`.padEnd(500, '.'))
    await openNotes(fixture, ...rows).close()
    writeFileSync(fixture.file, readFileSync(fixture.file).fill(0xff, 8 * 4096))

    const database = openNotes(fixture)
    await fixture.clock.advance(2 * dayMs)
    await expect.poll(() => fixture.lines.at(-1), patience).toContain('the next start sets the file aside')
    await database.close()

    expect(openNotes(fixture).prepare('SELECT count(*) AS count FROM notes').get()).toEqual({ count: 200 })
  })

  it('clears away what a killed process left of an earlier one', async () => {
    const fixture = storageFixture(virtualClock(Date.now() + 2 * dayMs))
    const left = `${getBackup(fixture)}-part-dead`
    writeFileSync(left, '')
    await openNotes(fixture, 'milk').close()
    expect(readdirSync(fixture.folder).sort()).toEqual(['notes.db', 'notes.db.backup', 'notes.db.used'])
  })

  it('is reported when it cannot be written, and does no harm', async () => {
    const fixture = storageFixture()
    const database = openNotes(fixture, 'milk')
    mkdirSync(`${getBackup(fixture)}/in-the-way`, { recursive: true })
    await fixture.clock.advance(2 * dayMs)
    await expect.poll(() => fixture.lines[0], patience).toMatch(`warn No backup of ${fixture.file} was taken`)
    expect(database.prepare('SELECT count(*) AS count FROM notes').get()).toEqual({ count: 1 })
  })
})
