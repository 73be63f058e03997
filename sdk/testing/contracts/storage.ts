/** What `Storage` promises to plugins that keep something. */
import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode } from '../../errors.ts'
import type { Database, Storage } from '../../storage.ts'
import { type ContractCase, refusal } from './contract.ts'
import type { MakeStore, Shelf } from './shelf.ts'

const notes = 'CREATE TABLE notes (id INTEGER PRIMARY KEY, text, number, bytes BLOB)'

/** The cases that a provider of the service `storage` passes. */
export function storageCases(make: MakeStore<Storage>): ContractCase[] {
  const examine = (name: string, run: (shelf: Shelf<Storage>) => Promise<void>): ContractCase => ({
    name,
    run: () => make(run),
  })
  return [
    examine('what was written is there after the end of the program', outlives),
    examine('values come back as they were', keepsValues),
    examine('a transaction that throws leaves nothing, one that returns gives its result', rollsBack),
    examine('steps of a schema run once, in order, and only the missing ones', migratesOnce),
    examine('a step that fails is taken back', takesBackStep),
    examine('a file of a newer program is refused and left alone', refusesNewer),
    examine('references between rows are enforced', enforcesReferences),
    examine('two connections see what the other committed', sharesFile),
    examine('a damaged file is set aside and work continues', survivesDamage),
    examine('a place that cannot be used is refused with its code', refusesPlace),
  ]
}

/** `work` with an open database, which is closed afterwards. */
async function opened<T>(shelf: Shelf<Storage>, migrations: readonly string[], work: (database: Database) => T) {
  const database = shelf.service.open({ file: getDatabaseFile(shelf), migrations })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

function getDatabaseFile(shelf: Shelf<Storage>): string {
  return join(shelf.folder, 'not', 'there', 'yet', 'notes.db')
}

async function outlives(shelf: Shelf<Storage>): Promise<void> {
  const database = shelf.service.open({ file: getDatabaseFile(shelf), migrations: [notes] })
  database.transaction(() => database.prepare('INSERT INTO notes (text) VALUES (?)').run('kept'), { sync: true })
  await shelf.reopen()
  await opened(shelf, [notes], (again) => {
    assert.deepEqual(again.prepare('SELECT text FROM notes').all(), [{ text: 'kept' }])
  })
}

async function keepsValues(shelf: Shelf<Storage>): Promise<void> {
  await opened(shelf, [notes], (database) => {
    const insert = database.prepare('INSERT INTO notes (text, number, bytes) VALUES (?, ?, ?)')
    const { changes } = insert.run('ünïcödé \n✓', 1.5, new Uint8Array([0, 255, 7]))
    assert.equal(changes, 1)
    insert.run(null, Number.MAX_SAFE_INTEGER, null)
    const [first, second] = database.prepare('SELECT text, number, bytes FROM notes ORDER BY id').all()
    assert.deepEqual([first?.['text'], first?.['number']], ['ünïcödé \n✓', 1.5])
    assert.deepEqual(Buffer.from(first?.['bytes'] as Uint8Array), Buffer.from([0, 255, 7]))
    assert.deepEqual(
      [second?.['text'], Number(second?.['number']), second?.['bytes']],
      [null, Number.MAX_SAFE_INTEGER, null],
    )
    assert.equal(database.prepare('SELECT 1 FROM notes WHERE id = 99').get(), undefined)
  })
}

async function rollsBack(shelf: Shelf<Storage>): Promise<void> {
  await opened(shelf, [notes], async (database) => {
    const insert = database.prepare('INSERT INTO notes (text) VALUES (?)')
    const fails = () =>
      database.transaction(() => {
        insert.run('never')
        throw new Error('half way')
      })
    assert.match(String(await refusal('a failing transaction', fails)), /half way/)
    assert.equal(
      database.transaction(() => insert.run('once').changes),
      1,
    )
    assert.deepEqual(database.prepare('SELECT text FROM notes').all(), [{ text: 'once' }])
  })
}

async function migratesOnce(shelf: Shelf<Storage>): Promise<void> {
  const first = 'CREATE TABLE steps (name TEXT); INSERT INTO steps VALUES (1)'
  await opened(shelf, [first], () => {})
  const names = await opened(shelf, [first, 'INSERT INTO steps VALUES (2)', 'INSERT INTO steps VALUES (3)'], (again) =>
    again.prepare<{ name: string }>('SELECT name FROM steps').all(),
  )
  assert.equal(names.map(({ name }) => name).join(), '1,2,3')
}

async function takesBackStep(shelf: Shelf<Storage>): Promise<void> {
  await opened(shelf, [notes], () => {})
  const broken = 'CREATE TABLE half (id); INSERT INTO nowhere VALUES (1)'
  await refusal('a schema with a mistake', () => opened(shelf, [notes, broken], () => {}))
  await opened(shelf, [notes, 'CREATE TABLE half (id)'], (database) => {
    assert.deepEqual(database.prepare('SELECT * FROM half').all(), [])
  })
}

async function refusesNewer(shelf: Shelf<Storage>): Promise<void> {
  await opened(shelf, [notes, 'CREATE TABLE later (id)'], () => {})
  const error = await refusal('a file of a newer program', () => opened(shelf, [notes], () => {}))
  assert.equal(errorCode(error), 'STORAGE_TOO_NEW')
  await opened(shelf, [notes, 'CREATE TABLE later (id)'], () => {})
}

async function enforcesReferences(shelf: Shelf<Storage>): Promise<void> {
  const schema = 'CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a INTEGER REFERENCES a (id))'
  await opened(shelf, [schema], async (database) => {
    await refusal('a row that refers to nothing', () => database.prepare('INSERT INTO b VALUES (7)').run())
  })
}

async function sharesFile(shelf: Shelf<Storage>): Promise<void> {
  await opened(shelf, [notes], (one) =>
    opened(shelf, [notes], (two) => {
      one.prepare('INSERT INTO notes (text) VALUES (?)').run('from one')
      assert.deepEqual(two.prepare('SELECT text FROM notes').all(), [{ text: 'from one' }])
    }),
  )
}

async function survivesDamage(shelf: Shelf<Storage>): Promise<void> {
  await opened(shelf, [notes], () => {})
  await shelf.reopen()
  const file = getDatabaseFile(shelf)
  writeFileSync(file, 'this was a database once, and is not one now. '.repeat(200))
  await opened(shelf, [notes], (database) => {
    database.prepare('INSERT INTO notes (text) VALUES (?)').run('after')
    assert.equal(database.prepare('SELECT text FROM notes').all().length, 1)
  })
  assert.ok(readdirSync(dirname(file)).length > 1, 'the damaged file is gone')
}

async function refusesPlace(shelf: Shelf<Storage>): Promise<void> {
  const error = await refusal('a folder as a file', () => {
    shelf.service.open({ file: shelf.folder, migrations: [notes] })
  })
  assert.equal(errorCode(error), 'STORAGE_UNAVAILABLE')
}
