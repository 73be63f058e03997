import { readFileSync, writeFileSync } from 'node:fs'
import Driver from 'better-sqlite3'
import { expect, test } from 'vitest'
import { refuseDamageAside } from '../../../../plugins/sessions/storage/aside.ts'
import { storageFixture } from './support.ts'

const patience = { timeout: 10_000 }
const part = 'CREATE TABLE lines (id INTEGER PRIMARY KEY, text TEXT); CREATE VIRTUAL TABLE found USING fts5(text)'

function createDatabase(rows: number): string {
  const { file } = storageFixture()
  const database = new Driver(file)
  database.exec(part)
  const add = database.prepare('INSERT INTO lines (text) VALUES (?)')
  database.transaction(() => {
    for (let at = 0; at < rows; at++) add.run(`${at}`.padEnd(3000, '.'))
  })()
  database.close()
  return file
}

test('all of a database is read while this thread continues', async () => {
  const file = createDatabase(2000)
  let rounds = 0
  const count = () => {
    rounds++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  await refuseDamageAside(file)
  clearImmediate(timer)
  expect(rounds).toBeGreaterThan(0)
})

test('damage deep inside is found by the other thread, and so is a file that is no database', async () => {
  const file = createDatabase(2000)
  writeFileSync(file, readFileSync(file).fill(0xff, 800 * 4096, 900 * 4096))
  await expect(refuseDamageAside(file)).rejects.toMatchObject({ code: 'SQLITE_CORRUPT' })
  writeFileSync(file, 'garbage'.repeat(1000))
  await expect(refuseDamageAside(file)).rejects.toMatchObject({ code: 'SQLITE_NOTADB' })
})

test('a damaged copy of many megabytes does not take the place of the backup', async () => {
  const fixture = storageFixture()
  const migrations = ['CREATE TABLE lines (id INTEGER PRIMARY KEY, text TEXT)']
  const open = () => fixture.storage.open({ file: fixture.file, migrations })
  const database = open()
  database.transaction(() => {
    for (let at = 0; at < 2000; at++)
      database.prepare('INSERT INTO lines (text) VALUES (?)').run(`${at}`.padEnd(3000, '.'))
  })
  await database.close()
  writeFileSync(fixture.file, readFileSync(fixture.file).fill(0xff, 800 * 4096, 900 * 4096))
  open()
  await fixture.clock.advance(15_000)
  await expect.poll(() => fixture.lines.at(-1), patience).toContain('is damaged')
})
