import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { notes, storageFixture } from './support.ts'

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** Root may write anywhere: for the time of `work` the test is someone else. */
function withoutRootRights<T>(work: () => T): T {
  if (process.geteuid?.() !== 0) return work()
  process.seteuid?.(65534)
  try {
    return work()
  } finally {
    process.seteuid?.(0)
  }
}

describe('opening a database', () => {
  it('makes its folder and its files for the user alone', () => {
    const { storage, folder } = storageFixture()
    const file = join(folder, 'deep', 'er', 'notes.db')
    const database = storage.open({ file, migrations: notes })
    database.prepare('INSERT INTO notes (text) VALUES (?)').run('secret')
    expect([mode(join(folder, 'deep')), mode(join(folder, 'deep', 'er'))]).toEqual(['700', '700'])
    expect([mode(file), mode(`${file}-wal`), mode(`${file}-shm`)]).toEqual(['600', '600', '600'])
  })

  it('writes ahead, and leaves one file when it is closed', async () => {
    const { storage, file, folder } = storageFixture()
    const database = storage.open({ file, migrations: notes })
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    await database.close()
    expect(readdirSync(folder)).toEqual(['notes.db', 'notes.db.used'])
  })

  it('says which path needs rights when the folder is read-only', () => {
    const { storage, folder } = storageFixture()
    chmodSync(folder, 0o755)
    const closed = join(folder, 'closed')
    mkdirSync(closed)
    chmodSync(closed, 0o555)
    storage.open({ file: join(folder, 'warm-up.db'), migrations: notes })
    const file = join(closed, 'notes.db')
    const told = expect.objectContaining({
      code: 'STORAGE_UNAVAILABLE',
      message: expect.stringMatching(`${file}.*right to read and write`),
    })
    withoutRootRights(() => expect(() => storage.open({ file, migrations: notes })).toThrow(told))
    expect(readdirSync(closed)).toEqual([])
  })

  it('says which path needs rights when the file is read-only', async () => {
    const { storage, folder, file } = storageFixture()
    await storage.open({ file, migrations: notes }).close()
    chmodSync(folder, 0o777)
    chmodSync(file, 0o444)
    const told = expect.objectContaining({ code: 'STORAGE_UNAVAILABLE', message: expect.stringContaining(file) })
    withoutRootRights(() => expect(() => storage.open({ file, migrations: notes })).toThrow(told))
  })

  it('says so when the path leads through a file, or is a folder', () => {
    const { storage, folder } = storageFixture()
    writeFileSync(join(folder, 'plain'), '')
    for (const file of [join(folder, 'plain', 'notes.db'), folder]) {
      const told = expect.objectContaining({ code: 'STORAGE_UNAVAILABLE', message: expect.stringContaining(file) })
      expect(() => storage.open({ file, migrations: notes })).toThrow(told)
    }
  })

  it('refuses a path that depends on where svc was started', () => {
    const { storage } = storageFixture()
    const told = expect.objectContaining({ code: 'STORAGE_FILE_INVALID' })
    expect(() => storage.open({ file: 'notes.db', migrations: notes })).toThrow(told)
    expect(existsSync('notes.db')).toBe(false)
  })

  it('takes an empty file for a new database', () => {
    const { storage, file, lines } = storageFixture()
    writeFileSync(file, '')
    storage.open({ file, migrations: notes }).prepare('INSERT INTO notes (text) VALUES (?)').run('milk')
    expect(lines).toEqual([])
  })

  it('leaves a file of a newer svc exactly as it is', async () => {
    const { storage, file, folder } = storageFixture()
    const newer = [...notes, 'CREATE TABLE future (id INTEGER)']
    const database = storage.open({ file, migrations: newer })
    database.exec('PRAGMA journal_mode = DELETE')
    await database.close()
    const before = readFileSync(file)
    const told = expect.objectContaining({
      code: 'STORAGE_TOO_NEW',
      message: expect.stringMatching(`${file} has schema 2, and this svc knows schema 1. Update svc`),
    })
    expect(() => storage.open({ file, migrations: notes })).toThrow(told)
    expect(readFileSync(file)).toEqual(before)
    expect(readdirSync(folder)).toEqual(['notes.db', 'notes.db.used'])
  })
})
