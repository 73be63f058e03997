import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { describe, expect, it } from 'vitest'
import { replaceDamaged } from '../../../../plugins/sessions/storage/restore-backup.ts'
import { countingRandom, type Fixture, keepingLog, notes, storageFixture } from './support.ts'

const dayMs = 86_400_000
const texts = ({ storage, file }: Fixture) =>
  storage
    .open({ file, migrations: notes })
    .prepare('SELECT text FROM notes')
    .all()
    .map((row) => row['text'])

/** Leaves a closed database, and one backup of it when a day passes before it is closed. */
async function leave(fixture: Fixture, text: string, days = 0): Promise<void> {
  const database = fixture.storage.open({ file: fixture.file, migrations: notes })
  database.prepare('INSERT INTO notes (text) VALUES (?)').run(text)
  await fixture.clock.advance(days * dayMs)
  await database.close()
  rmSync(`${fixture.file}.backup-previous`, { force: true })
}

const kept = ({ folder }: Fixture) => readdirSync(folder).filter((name) => name.includes('.corrupt-'))
const errors = ({ lines }: Fixture) => lines.filter((line) => line.startsWith('error'))

describe('a file that is no database', () => {
  it('is kept aside byte for byte, replaced by an empty database, and reported with what to do', () => {
    const fixture = storageFixture()
    writeFileSync(fixture.file, 'this is a shopping list, not a database'.repeat(100))
    expect(texts(fixture)).toEqual([])
    const [name = ''] = kept(fixture)
    expect(name).toMatch(/^notes\.db\.corrupt-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/)
    expect(readFileSync(`${fixture.folder}/${name}`, 'utf8')).toContain('shopping list')
    expect(errors(fixture)).toHaveLength(1)
    expect(errors(fixture)[0]).toMatch(`The database ${fixture.file} was damaged`)
    expect(errors(fixture)[0]).toMatch('an empty one took its place')
    expect(errors(fixture)[0]).toMatch(`sqlite3 "${fixture.folder}/${name}" .recover`)
  })

  it('is replaced by the newest backup when there is one', async () => {
    const fixture = storageFixture()
    await leave(fixture, 'milk', 2)
    chmodSync(`${fixture.file}.backup`, 0o644)
    writeFileSync(fixture.file, readFileSync(fixture.file).fill(0, 0, 200))
    expect(texts(fixture)).toEqual(['milk'])
    expect(errors(fixture)[0]).toMatch('It was replaced by the backup of')
    expect((statSync(fixture.file).mode & 0o777).toString(8)).toBe('600')
    expect(existsSync(`${fixture.file}.backup`)).toBe(true)
  })

  it('leaves nothing of its write-ahead log or journal to the file that takes its place', async () => {
    const fixture = storageFixture()
    await leave(fixture, 'milk', 2)
    writeFileSync(fixture.file, 'garbage'.repeat(1000))
    for (const part of ['-wal', '-shm', '-journal']) writeFileSync(fixture.file + part, 'old pages'.repeat(1000))
    expect(texts(fixture)).toEqual(['milk'])
    await fixture.storage.close()
    expect(readdirSync(fixture.folder).filter((name) => /^notes\.db-/.test(name))).toEqual([])
  })

  it('is replaced by the backup before the newest one where the newest has nothing in it', async () => {
    const fixture = storageFixture()
    await leave(fixture, 'milk', 2)
    copyFileSync(`${fixture.file}.backup`, `${fixture.file}.backup-previous`)
    writeFileSync(`${fixture.file}.backup`, '')
    writeFileSync(fixture.file, 'garbage'.repeat(1000))
    expect(texts(fixture)).toEqual(['milk'])
    expect(errors(fixture).join()).toMatch('It was replaced by the backup of')
  })

  it('has no good backup when all of them are empty files', async () => {
    const fixture = storageFixture()
    await leave(fixture, 'milk', 2)
    for (const kept of ['', '-previous']) writeFileSync(`${fixture.file}.backup${kept}`, '')
    writeFileSync(fixture.file, 'garbage'.repeat(1000))
    expect(texts(fixture)).toEqual([])
    expect(errors(fixture).join()).toMatch('There is no good backup')
  })

  it('is not replaced by a backup that is damaged itself', async () => {
    const fixture = storageFixture()
    await leave(fixture, 'milk', 2)
    writeFileSync(fixture.file, 'garbage'.repeat(1000))
    writeFileSync(`${fixture.file}.backup`, 'garbage'.repeat(1000))
    rmSync(`${fixture.file}.backup-previous`, { force: true })
    expect(texts(fixture)).toEqual([])
    expect(errors(fixture)[0]).toMatch(`The backup ${fixture.file}.backup cannot be used`)
    expect(errors(fixture)[1]).toMatch('There is no good backup')
    expect(existsSync(`${fixture.file}.backup`)).toBe(true)
  })

  it('is not replaced by a backup with damage deep inside', async () => {
    const fixture = storageFixture()
    await leave(fixture, 'x'.repeat(50 * 4096), 2)
    const backup = `${fixture.file}.backup`
    writeFileSync(backup, readFileSync(backup).fill(0xff, 8 * 4096))
    rmSync(`${backup}-previous`, { force: true })
    writeFileSync(fixture.file, 'garbage'.repeat(1000))
    expect(texts(fixture)).toEqual([])
    expect(errors(fixture)[0]).toMatch(`The backup ${backup} cannot be used`)
  })

  it('is not replaced by a backup of a newer svc', async () => {
    const fixture = storageFixture()
    await leave(fixture, 'milk', 2)
    const newer = fixture.storage.open({
      file: `${fixture.file}.backup`,
      migrations: [...notes, 'SELECT 1', 'SELECT 1'],
    })
    await newer.close()
    rmSync(`${fixture.file}.backup-previous`, { force: true })
    writeFileSync(fixture.file, 'garbage'.repeat(1000))
    expect(texts(fixture)).toEqual([])
    expect(errors(fixture)[0]).toMatch('it has schema 3 and this svc knows schema 1')
  })
})

describe('a file that another process replaced a moment ago', () => {
  it('stays as it is', async () => {
    const fixture = storageFixture()
    await leave(fixture, 'milk')
    const { file, clock } = fixture
    const inode = statSync(file).ino + 1
    replaceDamaged({ file, inode, schema: 1, clock, random: countingRandom(), log: keepingLog() }, 'damage of before')
    expect(texts(fixture)).toEqual(['milk'])
    expect(kept(fixture)).toEqual([])
  })
})

describe('a process that was killed while it replaced a file', () => {
  it('keeps no one from opening it', async () => {
    const fixture = storageFixture()
    const killed = spawn(process.execPath, ['-e', ''])
    await once(killed, 'exit')
    writeFileSync(fixture.file, 'garbage'.repeat(1000))
    writeFileSync(`${fixture.file}.repairing`, String(killed.pid))
    expect(texts(fixture)).toEqual([])
    expect(existsSync(`${fixture.file}.repairing`)).toBe(false)
  })
})

describe('a file that is damaged again and again', () => {
  it('is kept each time, also within the same millisecond', async () => {
    const fixture = storageFixture()
    for (const text of ['first', 'second']) {
      writeFileSync(fixture.file, text.repeat(1000))
      expect(texts(fixture)).toEqual([])
      await fixture.storage.close()
    }
    expect(kept(fixture)).toHaveLength(2)
  })
})

describe('a file that was found damaged while in use', () => {
  it('is checked in full, and stays when it turns out to be sound', async () => {
    const fixture = storageFixture()
    await leave(fixture, 'milk')
    writeFileSync(`${fixture.file}.damaged`, '')
    expect(texts(fixture)).toEqual(['milk'])
    expect(existsSync(`${fixture.file}.damaged`)).toBe(false)
    expect(kept(fixture)).toEqual([])
  })

  it('is replaced together with its log, even while another holder keeps it open', async () => {
    const fixture = storageFixture()
    await leave(fixture, 'milk', 2)
    const { file, storage } = fixture
    const holder = storage.open({ file, migrations: notes })
    const add = holder.prepare('INSERT INTO notes (text) VALUES (?)')
    for (let i = 0; i < 200; i++) add.run(`${i}`.padEnd(500, '.'))
    holder.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    add.run('only in the log')
    writeFileSync(file, readFileSync(file).fill(0xff, 8 * 4096))
    writeFileSync(`${file}.damaged`, '')

    expect(texts(fixture)).toEqual(['milk'])
    expect(kept(fixture).filter((name) => name.endsWith('-wal'))).toHaveLength(1)
    expect(existsSync(`${file}.damaged`)).toBe(false)
  })
})

describe('a file that is gone', () => {
  const gone: Readonly<Record<string, (file: string) => void>> = {
    missing: (file) => rmSync(file),
    empty: (file) => writeFileSync(file, ''),
  }

  it.each(Object.entries(gone))('is restored from its backup when it is %s, and that is said', async (state, take) => {
    const fixture = storageFixture()
    await leave(fixture, 'milk', 2)
    take(fixture.file)
    writeFileSync(`${fixture.file}-wal`, 'pages that belong to nothing')
    expect(texts(fixture)).toEqual(['milk'])
    expect(errors(fixture)).toHaveLength(1)
    expect(errors(fixture)[0]).toMatch(
      new RegExp(`notes\\.db was ${state}\\. It was restored from the backup of .*what came later is lost`),
    )
    expect((statSync(fixture.file).mode & 0o777).toString(8)).toBe('600')
    expect(readdirSync(fixture.folder).filter((name) => /\.lost-.*-wal$/.test(name))).toHaveLength(1)
  })

  it('is restored from the backup before the last one when that is damaged, or has nothing in it', async () => {
    const fixture = storageFixture()
    await leave(fixture, 'milk', 2)
    copyFileSync(`${fixture.file}.backup`, `${fixture.file}.backup-previous`)
    writeFileSync(`${fixture.file}.backup`, 'garbage'.repeat(1000))
    rmSync(fixture.file)
    expect(texts(fixture)).toEqual(['milk'])
  })

  it.each(Object.entries(gone))('is missed once when it is %s and was never backed up', async (state, take) => {
    const fixture = storageFixture()
    await leave(fixture, 'milk')
    take(fixture.file)
    expect(texts(fixture)).toEqual([])
    expect(errors(fixture)).toHaveLength(1)
    expect(errors(fixture)[0]).toMatch(`notes.db is ${state}, and there is no backup with content`)
    await leave(fixture, 'bread')
    expect(texts(fixture)).toEqual(['bread'])
    expect(errors(fixture)).toHaveLength(1)
  })

  it('begins empty and in silence where there was none before', () => {
    const fixture = storageFixture()
    expect(texts(fixture)).toEqual([])
    expect(fixture.lines).toEqual([])
  })

  it('is not filled from a backup that has nothing in it', async () => {
    const fixture = storageFixture()
    const empty = fixture.storage.open({ file: `${fixture.file}.backup`, migrations: notes })
    await empty.close()
    expect(texts(fixture)).toEqual([])
    expect(errors(fixture)).toEqual([])
  })
})
