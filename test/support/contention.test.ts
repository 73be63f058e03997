import { join } from 'node:path'
import Driver from 'better-sqlite3'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../plugins/sessions/storage/support.ts'
import { contention } from './contention.ts'

test('a lock that is held, and a loop that stands still, are both noticed', async () => {
  const file = join(temporaryFolder(), 'any.db')
  const connection = new Driver(file)
  connection.exec('PRAGMA journal_mode = WAL; CREATE TABLE any (id)')
  const { longestWait, longestFreeze, bareFreeze } = await contention(file, import.meta.url, async () => {
    connection.exec('BEGIN IMMEDIATE')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
    connection.exec('ROLLBACK')
    await new Promise((resolve) => setTimeout(resolve, 200))
  })
  connection.close()
  expect(longestWait).toBeGreaterThan(150)
  expect(longestFreeze).toBeGreaterThan(900)
  // A process beside it that does nothing is held up by the machine only.
  expect(bareFreeze).toBeLessThan(longestFreeze)
})
