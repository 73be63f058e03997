import { describe, expect, it } from 'vitest'
import { notes, storageFixture } from './support.ts'

describe('migrations', () => {
  it('run once each, in order, whether they come together or one release after the other', async () => {
    const { storage, file } = storageFixture()
    const steps = [
      'CREATE TABLE log (step TEXT)',
      "INSERT INTO log VALUES ('second')",
      "INSERT INTO log VALUES ('third'); INSERT INTO log VALUES ('third again')",
    ]
    await storage.open({ file, migrations: steps.slice(0, 2) }).close()
    await storage.open({ file, migrations: steps }).close()
    const rows = storage.open({ file, migrations: steps }).prepare('SELECT step FROM log').all()
    expect(rows.map((row) => row['step'])).toEqual(['second', 'third', 'third again'])
  })

  it('are taken back one by one: a step that fails leaves those before it', () => {
    const { storage, file } = storageFixture()
    const broken = [...notes, 'CREATE TABLE half (id INTEGER); INSERT INTO nowhere VALUES (1)']
    const told = expect.objectContaining({
      code: 'STORAGE_MIGRATION_FAILED',
      message: expect.stringContaining(`Step 2 of the schema of ${file} failed`),
    })
    expect(() => storage.open({ file, migrations: broken })).toThrow(told)
    const tables = storage.open({ file, migrations: notes }).prepare('SELECT name FROM sqlite_master').all()
    expect(tables.map((row) => row['name'])).not.toContain('half')
  })

  it('may rebuild a table that others refer to', async () => {
    const { storage, file } = storageFixture()
    const before = [
      ...notes,
      "CREATE TABLE tags (note INTEGER REFERENCES notes (id) ON DELETE CASCADE, tag TEXT); INSERT INTO notes VALUES (1, 'milk'); INSERT INTO tags VALUES (1, 'food')",
    ]
    await storage.open({ file, migrations: before }).close()
    const rebuild =
      'CREATE TABLE fresh (id INTEGER PRIMARY KEY, text TEXT, done INTEGER); INSERT INTO fresh SELECT id, text, 0 FROM notes; DROP TABLE notes; ALTER TABLE fresh RENAME TO notes'
    const database = storage.open({ file, migrations: [...before, rebuild] })
    expect(database.prepare('SELECT tag, done FROM tags JOIN notes ON id = note').all()).toEqual([
      { tag: 'food', done: 0 },
    ])
    expect(() => database.exec('INSERT INTO tags VALUES (9, NULL)')).toThrow(/FOREIGN KEY/)
  })

  it('may not leave rows behind that refer to nothing', async () => {
    const { storage, file } = storageFixture()
    const before = [
      ...notes,
      "CREATE TABLE tags (note INTEGER REFERENCES notes (id)); INSERT INTO notes VALUES (1, 'milk'); INSERT INTO tags VALUES (1)",
    ]
    await storage.open({ file, migrations: before }).close()
    const told = expect.objectContaining({
      code: 'STORAGE_MIGRATION_FAILED',
      message: expect.stringContaining('rows of tags would refer to rows that do not exist'),
    })
    expect(() => storage.open({ file, migrations: [...before, 'DELETE FROM notes'] })).toThrow(told)
    expect(storage.open({ file, migrations: before }).prepare('SELECT text FROM notes').all()).toHaveLength(1)
  })
})
