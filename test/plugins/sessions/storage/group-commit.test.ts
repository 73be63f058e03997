import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'
import Driver from 'better-sqlite3'
import type { Database } from 'svc/sdk/storage'
import { describe, expect, it } from 'vitest'
import { bundleScript, notes, storageFixture } from './support.ts'

const child = await bundleScript('test/plugins/sessions/storage/group-child.ts')
const crossing = await bundleScript('test/plugins/sessions/storage/crossing-child.ts')
const sql = 'INSERT INTO notes (text) VALUES (?)'
const soon = (database: Database, ...texts: readonly string[]) =>
  database.transaction(() => texts.map((text) => database.prepare(sql).run(text)), { soon: true })
const texts = (database: Pick<Database, 'prepare'>) =>
  (database.prepare('SELECT text FROM notes ORDER BY id').all() as unknown as { text: string }[]).map(
    ({ text }) => text,
  )

function openNotes() {
  const fixture = storageFixture()
  const open = () => fixture.storage.open({ file: fixture.file, migrations: notes })
  const database = open()
  // What another process would see.
  const outside = () => {
    const connection = new Driver(fixture.file, { readonly: true, timeout: 10 })
    const seen = texts(connection as never)
    connection.close()
    return seen
  }
  return { ...fixture, open, database, outside }
}

describe('what is written soon', () => {
  it('is there for its writer at once, and for others when the round of the event loop is over', async () => {
    const { database, outside } = openNotes()
    soon(database, 'milk')
    soon(database, 'bread')
    expect([texts(database), outside()]).toEqual([['milk', 'bread'], []])
    await database.committed()
    expect(outside()).toEqual(['milk', 'bread'])
  })

  it('shares one commit: many writers cost one', async () => {
    const { database, file } = openNotes()
    const pages = new Driver(file)
    const version = () => Number(pages.pragma('data_version', { simple: true }))
    const before = version()
    for (let count = 0; count < 100; count++) soon(database, `${count}`)
    await database.committed()
    expect(version() - before).toBe(1)
    pages.close()
  })

  it('is undone alone when it fails half way', async () => {
    const { database, outside } = openNotes()
    soon(database, 'milk')
    expect(() => soon(database, 'bread', 'milk')).toThrow(expect.objectContaining({ code: 'SQLITE_CONSTRAINT_UNIQUE' }))
    soon(database, 'salt')
    await database.committed()
    expect(outside()).toEqual(['milk', 'salt'])
  })

  it('begins again when the first of a round failed', async () => {
    const { database, outside } = openNotes()
    expect(() => soon(database, 'milk', 'milk')).toThrow()
    soon(database, 'bread')
    await database.committed()
    expect(outside()).toEqual(['bread'])
  })

  it('comes before what is written later, however that is written', () => {
    const { database, outside } = openNotes()
    soon(database, 'one')
    database.prepare(sql).run('two')
    expect(outside()).toEqual(['one', 'two'])
    soon(database, 'three')
    database.transaction(() => database.prepare(sql).run('four'), { sync: true })
    expect(outside()).toEqual(['one', 'two', 'three', 'four'])
    soon(database, 'five')
    database.exec("INSERT INTO notes (text) VALUES ('six')")
    expect(outside()).toEqual(['one', 'two', 'three', 'four', 'five', 'six'])
  })

  it('keeps no other connection of this process waiting, and is seen by it', () => {
    const { database, open } = openNotes()
    const other = open()
    soon(database, 'milk')
    expect(texts(other)).toEqual(['milk'])
    soon(database, 'bread')
    soon(other, 'salt')
    soon(database, 'wine')
    expect(texts(open())).toEqual(['milk', 'bread', 'salt', 'wine'])
  })

  it('is kept when the database is closed or the process ends by itself, and lost when it is killed at once', async () => {
    const { database, outside, folder } = openNotes()
    soon(database, 'milk')
    await database.close()
    expect(outside()).toEqual(['milk'])
    const left = (end: string) => {
      const file = `${folder}/${end}.db`
      spawnSync(process.execPath, [child, file, end])
      const connection = new Driver(file)
      const seen = texts(connection as never)
      connection.close()
      return seen
    }
    expect([left('exit'), left('kill')]).toEqual([['milk'], []])
  })

  it('is gone when it cannot be committed, and anyone who waits is told', async () => {
    const { database, outside, lines } = openNotes()
    database.exec('CREATE TABLE tags (note INTEGER REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED)')
    soon(database, 'milk')
    database.transaction(() => database.exec('INSERT INTO tags VALUES (7)'), { soon: true })
    await expect(database.committed()).rejects.toThrow(/FOREIGN KEY/)
    expect([outside(), lines.filter((line) => line.startsWith('error'))]).toEqual([[], []])
    database.transaction(() => database.exec('INSERT INTO tags VALUES (7)'), { soon: true })
    database.prepare(sql).run('bread')
    expect(outside()).toEqual(['bread'])
    expect(lines.filter((line) => line.startsWith('error'))).toEqual([expect.stringContaining('was not kept')])
  })

  it('survives a power cut once it is synced, as what is written in another way', async () => {
    const { database, outside } = openNotes()
    soon(database, 'milk')
    await database.synced()
    expect(outside()).toEqual(['milk'])
  })

  it('does not keep two processes waiting for each other that write to the same two files in another order', async () => {
    const { file, folder } = openNotes()
    const files = [file, `${folder}/other.db`]
    const ends = [files, files.toReversed()].map(async (paths) => {
      const process_ = spawn(process.execPath, [crossing, ...paths, '300'], { stdio: ['ignore', 'pipe', 'pipe'] })
      return Promise.all([text(process_.stdout), text(process_.stderr)])
    })
    // Each would wait for five seconds, and then fail.
    for (const [slowest, errors] of await Promise.all(ends)) {
      expect(errors).toBe('')
      expect(Number(slowest)).toBeLessThan(4000)
    }
  })
})
