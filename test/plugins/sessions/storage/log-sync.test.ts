import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LogSync } from '../../../../plugins/sessions/storage/log-sync.ts'
import { notes, storageFixture, temporaryFolder } from './support.ts'

const add = 'INSERT INTO notes (text) VALUES (?)'
const round = () => new Promise((resolve) => setImmediate(resolve))

describe('a log', () => {
  it('is synced once for all who ask in the same moment, and again for those who come when that is under way', async () => {
    const file = join(temporaryFolder(), 'notes.db')
    writeFileSync(`${file}-wal`, 'frames')
    const log = new LogSync(file)
    const first = log.ask()
    expect(log.ask()).toBe(first)
    await round()
    await round()
    const second = log.ask()
    expect(second).not.toBe(first)
    await Promise.all([first, second])
    log.end()
  })

  it('serves those who still wait before it goes', async () => {
    const file = join(temporaryFolder(), 'notes.db')
    writeFileSync(`${file}-wal`, 'frames')
    const [early, late] = [new LogSync(file), new LogSync(file)]
    const waiting = [early.ask(), late.ask()]
    early.end()
    await round()
    await round()
    late.end()
    late.end()
    await Promise.all(waiting)
  })

  it('that cannot be synced fails those who ask, each time', async () => {
    const log = new LogSync(join(temporaryFolder(), 'missing.db'))
    await expect(log.ask()).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(log.ask()).rejects.toMatchObject({ code: 'ENOENT' })
    log.end()
  })
})

describe('a database', () => {
  it('has its commits on the disk when asked, before and after it is closed', async () => {
    const { storage, file } = storageFixture()
    const database = storage.open({ file, migrations: notes })
    database.prepare(add).run('milk')
    await database.synced()
    database.prepare(add).run('bread')
    const waiting = database.synced()
    await database.close()
    await waiting
    await database.synced()
    expect(storage.open({ file, migrations: notes }).prepare('SELECT text FROM notes').all()).toHaveLength(2)
  })

  it('says in words for people that its log cannot be brought to the disk', async () => {
    const { storage, file } = storageFixture()
    const database = storage.open({ file, migrations: notes })
    database.prepare(add).run('milk')
    renameSync(`${file}-wal`, `${file}-moved`)
    await expect(database.synced()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    renameSync(`${file}-moved`, `${file}-wal`)
    await database.synced()
  })
})
