import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { notes, storageFixture } from './support.ts'

const add = 'INSERT INTO notes (text) VALUES (?)'
const texts = (database: { prepare(sql: string): { all(): unknown[] } }) =>
  (database.prepare('SELECT text FROM notes ORDER BY id').all() as { text: string }[]).map((row) => row.text)

function openNotes() {
  const fixture = storageFixture()
  return { ...fixture, database: fixture.storage.open({ file: fixture.file, migrations: notes }) }
}

describe('a database', () => {
  it('shows what one connection committed to the next one', () => {
    const { database, storage, file } = openNotes()
    database.prepare(add).run('milk')
    expect(texts(storage.open({ file, migrations: notes }))).toEqual(['milk'])
  })

  it('gives out bytes, big numbers and nulls as they were put in', () => {
    const { database } = openNotes()
    database.exec('CREATE TABLE mixed (value)')
    const values = [new Uint8Array([0, 255]), 2 ** 40, 'nul \0 inside', null]
    for (const value of values) database.prepare('INSERT INTO mixed VALUES (?)').run(value)
    const back = database.prepare<{ value: unknown }>('SELECT value FROM mixed').all()
    expect(back.map((row) => (row.value instanceof Uint8Array ? new Uint8Array(row.value) : row.value))).toEqual(values)
  })

  it('holds foreign keys', () => {
    const { database } = openNotes()
    database.exec('CREATE TABLE tags (note INTEGER NOT NULL REFERENCES notes (id))')
    expect(() => database.exec('INSERT INTO tags VALUES (7)')).toThrow(/FOREIGN KEY/)
  })

  it('prepares a text once, and lets the oldest go when there are very many', () => {
    const { database } = openNotes()
    const first = database.prepare('SELECT 0')
    expect(database.prepare('SELECT 0')).toBe(first)
    for (let i = 1; i <= 200; i++) database.prepare(`SELECT ${i}`)
    expect(database.prepare('SELECT 0')).not.toBe(first)
    expect(first.get()).toEqual({ 0: 0 })
  })

  it('passes a broken constraint on with its code', () => {
    const { database } = openNotes()
    database.prepare(add).run('milk')
    expect(() => database.prepare(add).run('milk')).toThrow(
      expect.objectContaining({ code: 'SQLITE_CONSTRAINT_UNIQUE' }),
    )
  })

  it('says what to do when it is used after it was closed', async () => {
    const { database } = openNotes()
    const statement = database.prepare(add)
    await database.close()
    await database.close()
    for (const use of [
      () => statement.run('late'),
      () => database.exec('SELECT 1'),
      () => database.transaction(() => 1),
    ])
      expect(use).toThrow(expect.objectContaining({ code: 'STORAGE_CLOSED' }))
  })

  it('says which file is locked when another writer does not let go', () => {
    const { database, storage, file } = openNotes()
    const other = storage.open({ file, migrations: notes })
    database.exec('PRAGMA busy_timeout = 1')
    other.transaction(() => {
      const blocked = expect.objectContaining({ code: 'STORAGE_BUSY', message: expect.stringContaining(file) })
      expect(() => database.transaction(() => 1)).toThrow(blocked)
    })
    expect(database.transaction(() => 1)).toBe(1)
  })

  it('keeps nothing of a transaction that meets a full disk, and names the file', () => {
    const { database, file } = openNotes()
    database.prepare(add).run('before')
    database.exec('PRAGMA max_page_count = 4')
    const fill = () =>
      database.transaction(() => {
        for (let i = 0; i < 100; i++) database.prepare(add).run(`${i}`.padEnd(4000, '.'))
      })
    const told = expect.objectContaining({
      code: 'STORAGE_UNAVAILABLE',
      message: expect.stringMatching(`${file}.*The disk is full: free some space`),
    })
    expect(fill).toThrow(told)
    expect(texts(database)).toEqual(['before'])
  })
})

describe('a transaction', () => {
  it('returns what the work returns, and is taken back as a whole when the work throws', () => {
    const { database } = openNotes()
    const work = () => {
      database.prepare(add).run('half')
      throw new Error('stop')
    }
    expect(() => database.transaction(work)).toThrow('stop')
    expect(database.transaction(() => database.prepare(add).run('whole').changes)).toBe(1)
    expect(texts(database)).toEqual(['whole'])
  })

  it('leaves errors of the work as they are, also those that look like trouble with files', () => {
    const { database } = openNotes()
    const work = () => void readFileSync('/there/is/no/such/file')
    expect(() => database.transaction(work)).toThrow(expect.objectContaining({ code: 'ENOENT' }))
  })

  it('takes calls inside it along, and takes one of them back alone when it fails', () => {
    const { database } = openNotes()
    const fail = () => {
      database.prepare(add).run('inner')
      throw new Error('inner failed')
    }
    database.transaction(() => {
      database.prepare(add).run('outer')
      expect(() => database.transaction(fail)).toThrow('inner failed')
      database.transaction(() => database.prepare(add).run('second'))
    })
    expect(texts(database)).toEqual(['outer', 'second'])
    const outerFails = () =>
      database.transaction(() => {
        database.transaction(() => database.prepare(add).run('third'))
        throw new Error('outer failed')
      })
    expect(outerFails).toThrow('outer failed')
    expect(texts(database)).toEqual(['outer', 'second'])
  })

  it('refuses a function that is not done when it returns', () => {
    const { database } = openNotes()
    const work = async () => void database.prepare(add).run('late')
    expect(() => database.transaction(work)).toThrow(TypeError)
    expect(texts(database)).toEqual([])
  })

  it('waits for the disk when asked to, and only then', () => {
    const { database } = openNotes()
    const synchronous = () => database.prepare<{ synchronous: number }>('PRAGMA synchronous').get()?.synchronous
    const [normal, full] = [1, 2]
    expect(database.transaction(synchronous)).toBe(normal)
    expect(database.transaction(synchronous, { sync: true })).toBe(full)
    const fail = () => {
      throw new Error('stop')
    }
    expect(() => database.transaction(fail, { sync: true })).toThrow('stop')
    expect(synchronous()).toBe(normal)
  })

  it('follows with a commit that waits for the disk when only a call inside it asked for that', () => {
    const { database, file } = openNotes()
    const growth = (options: { sync?: boolean }) => {
      const before = statSync(`${file}-wal`).size
      database.transaction(() => {
        database.transaction(() => database.prepare(add).run(JSON.stringify([before, options])), options)
      })
      return statSync(`${file}-wal`).size - before
    }
    expect(growth({ sync: true })).toBeGreaterThan(growth({}))
  })
})

describe('damage that shows while a database is in use', () => {
  it('is told to the user, and repaired when the file is opened again', async () => {
    const { database, storage, file, lines } = openNotes()
    for (let i = 0; i < 200; i++) database.prepare(add).run(`${i}`.padEnd(500, '.'))
    await database.close()
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0xff, 8 * 4096))

    const damaged = storage.open({ file, migrations: notes })
    expect(() => texts(damaged)).toThrow(
      expect.objectContaining({
        code: 'STORAGE_CORRUPT',
        message: expect.stringContaining('the next start sets the file aside'),
      }),
    )
    await damaged.close()

    expect(texts(storage.open({ file, migrations: notes }))).toEqual([])
    expect(lines.find((line) => line.startsWith('error'))).toContain(`The database ${file} was damaged`)
  })
})
