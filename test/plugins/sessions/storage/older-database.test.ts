import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Driver from 'better-sqlite3'
import fc from 'fast-check'
import { Storage } from 'svc/sdk/storage'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { describe, expect, it, test } from 'vitest'
import {
  beginGeneration,
  getGeneration,
  recordGeneration,
  refuseOlder,
  setGeneration,
} from '../../../../plugins/sessions/storage/database-generation.ts'
import { connect } from '../../../../plugins/sessions/storage/driver.ts'
import { acceptOlder, findOlder, restoreNewer } from '../../../../plugins/sessions/storage/older-database.ts'
import { countingRandom, type Fixture, keepingLog, notes, storageFixture } from './support.ts'

const dayMs = 86_400_000

const open = ({ storage, file }: Fixture) => storage.open({ file, migrations: notes })
const readTexts = (fixture: Fixture) =>
  open(fixture)
    .prepare('SELECT text FROM notes ORDER BY id')
    .all()
    .map((row) => row['text'])

/** One run of svc that adds a note. */
async function run(fixture: Fixture, text: string): Promise<void> {
  const database = open(fixture)
  database.transaction(() => database.prepare('INSERT INTO notes (text) VALUES (?)').run(text))
  await database.close()
}

/** A copy that someone made between two runs. */
function copied({ file }: Fixture): () => void {
  copyFileSync(file, `${file}.mine`)
  return () => copyFileSync(`${file}.mine`, file)
}

const refused = (code: string) => expect.objectContaining({ code })
const ports = ({ clock }: Fixture) => ({ clock, random: countingRandom(), log: keepingLog() })

it('keeps the count of the process that wrote first, where two create a file at the same time', () => {
  const { file } = storageFixture()
  const [first, second] = [connect(file), connect(file)]
  first.pragma('journal_mode = WAL')
  beginGeneration(first)
  setGeneration(first, 4)
  beginGeneration(second)
  expect(getGeneration(second)).toBe(4)
  first.close()
  second.close()
})

describe('a database that is older than when svc last used it', () => {
  it('is refused after a single run more, and nothing is changed', async () => {
    const fixture = storageFixture()
    await run(fixture, 'milk')
    const putBack = copied(fixture)
    await run(fixture, 'bread')
    putBack()
    const before = readFileSync(fixture.file)
    expect(() => open(fixture)).toThrow(refused('STORAGE_OLDER'))
    expect(() => open(fixture)).toThrow(`svc storage accept "${fixture.file}"`)
    expect(() => open(fixture)).toThrow('No backup beside it is newer')
    expect(readFileSync(fixture.file).equals(before)).toBe(true)
  })

  it('does not cost its newer backup: the advice names it, and restoring takes it', async () => {
    const fixture = storageFixture(virtualClock(Date.now() + 2 * dayMs))
    await run(fixture, 'milk')
    const putBack = copied(fixture)
    await fixture.clock.advance(2 * dayMs)
    await run(fixture, 'bread')
    putBack()
    await fixture.clock.advance(2 * dayMs)
    expect(() => open(fixture)).toThrow(`The backup ${fixture.file}.backup is newer`)
    const { kept } = restoreNewer(fixture.file, ports(fixture))
    expect(readTexts(fixture)).toEqual(['milk', 'bread'])
    expect(readFileSync(kept).equals(readFileSync(`${fixture.file}.mine`))).toBe(true)
    await run(fixture, 'eggs')
    expect(readTexts(fixture)).toEqual(['milk', 'bread', 'eggs'])
  })

  it('continues when it is accepted, and the newer backup stays under another name', async () => {
    const fixture = storageFixture(virtualClock(Date.now() + 2 * dayMs))
    await run(fixture, 'milk')
    const putBack = copied(fixture)
    await fixture.clock.advance(2 * dayMs)
    await run(fixture, 'bread')
    putBack()
    const [kept = ''] = acceptOlder(fixture.file, ports(fixture))
    expect(readTexts(fixture)).toEqual(['milk'])
    expect(existsSync(kept)).toBe(true)
    await fixture.clock.advance(9 * dayMs)
    await run(fixture, 'eggs')
    await fixture.clock.advance(9 * dayMs)
    await run(fixture, 'salt')
    const newer = fixture.storage.open({ file: kept, migrations: notes })
    expect(newer.prepare('SELECT text FROM notes').all()).toEqual([{ text: 'milk' }, { text: 'bread' }])
  })

  it('is found by its backup alone, where a synchronisation brought no mark along', async () => {
    const fixture = storageFixture(virtualClock(Date.now() + 2 * dayMs))
    await run(fixture, 'milk')
    const putBack = copied(fixture)
    await fixture.clock.advance(2 * dayMs)
    await run(fixture, 'bread')
    putBack()
    rmSync(`${fixture.file}.used`)
    expect(() => open(fixture)).toThrow(refused('STORAGE_OLDER'))
  })

  it('is noticed after hours of one process that never closed it', async () => {
    const fixture = storageFixture()
    await run(fixture, 'milk')
    const database = open(fixture)
    const add = (text: string) =>
      database.transaction(() => database.prepare('INSERT INTO notes (text) VALUES (?)').run(text))
    add('bread')
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
    const putBack = copied(fixture)
    for (let hour = 0; hour < 3; hour++) {
      await fixture.clock.advance(3_600_000)
      add(`hour ${hour}`)
    }
    // The process is gone without an end, and with it what SQLite kept beside the file.
    await database.close()
    rmSync(`${fixture.file}-wal`, { force: true })
    putBack()
    expect(() => open(fixture)).toThrow(refused('STORAGE_OLDER'))
  })
})

describe('a database that is not older', () => {
  it.each([
    [
      'opened by several processes at once',
      async (fixture: Fixture) => {
        const [one, other] = [open(fixture), open(fixture)]
        for (const [at, database] of [one, other, one].entries())
          database.prepare('INSERT INTO notes (text) VALUES (?)').run(`${at}`)
        await one.close()
        await other.close()
      },
    ],
    [
      'only read',
      async (fixture: Fixture) => {
        const database = open(fixture)
        database.prepare('SELECT * FROM notes').all()
        await database.close()
      },
    ],
    [
      'closed after a transaction that was taken back',
      async (fixture: Fixture) => {
        const database = open(fixture)
        const fail = () =>
          database.transaction(() => {
            throw new Error('no')
          })
        expect(fail).toThrow('no')
        await database.close()
      },
    ],
    [
      'restored after damage',
      async (fixture: Fixture) => {
        writeFileSync(fixture.file, readFileSync(fixture.file).fill(0, 0, 200))
      },
    ],
    [
      'restored because it was missing',
      async (fixture: Fixture) => {
        rmSync(fixture.file)
      },
    ],
    [
      'empty because damage left no backup',
      async (fixture: Fixture) => {
        writeFileSync(fixture.file, 'garbage'.repeat(1000))
        for (const backup of ['.backup', '.backup-previous']) rmSync(fixture.file + backup, { force: true })
      },
    ],
    [
      'empty because damage left only a backup that is damaged in the middle',
      async (fixture: Fixture) => {
        writeFileSync(fixture.file, 'garbage'.repeat(1000))
        const backup = readFileSync(`${fixture.file}.backup`)
        writeFileSync(`${fixture.file}.backup`, backup.fill(0xff, 100, 4096))
        rmSync(`${fixture.file}.backup-previous`, { force: true })
      },
    ],
    [
      'of an earlier version, which knew no generations',
      async (fixture: Fixture) => {
        writeFileSync(`${fixture.file}.used`, '')
      },
    ],
  ])('is opened as ever: %s', async (_, happens) => {
    const fixture = storageFixture(virtualClock(Date.now() + 2 * dayMs))
    for (const text of ['milk', 'bread']) {
      await run(fixture, text)
      await fixture.clock.advance(2 * dayMs)
    }
    await happens(fixture)
    for (const text of ['eggs', 'salt']) await run(fixture, text)
    expect(readTexts(fixture)).toEqual(expect.arrayContaining(['eggs', 'salt']))
    expect(findOlder(fixture.file)).toBeUndefined()
    expect(() => acceptOlder(fixture.file, ports(fixture))).toThrow(refused('STORAGE_NOT_OLDER'))
    expect(() => restoreNewer(fixture.file, ports(fixture))).toThrow(refused('STORAGE_NOT_OLDER'))
  })
})

/** What is in any database of the folder, but for the copies of the user. */
function notesAnywhere(folder: string): Set<string> {
  const files = readdirSync(folder).filter((name) => /^notes\.db(?!.*(-wal|-shm|\.used|\.mine-))/.test(name))
  return new Set(files.flatMap((name) => notesIn(join(folder, name))))
}

function notesIn(file: string): string[] {
  if (!existsSync(file)) return []
  const database = new Driver(file)
  try {
    const rows = database.prepare<[], { text: string }>('SELECT text FROM notes').all()
    return rows.map(({ text }) => text)
  } finally {
    database.close()
  }
}

type Step = 'run' | 'copy' | 'put back' | 'days pass'

/** Someone who copies a database, puts copies back, and decides when asked. */
class Story {
  readonly fixture = storageFixture(virtualClock(Date.now() + 2 * dayMs))
  /** What any backup ever held. */
  readonly backedUp = new Set<string>()
  readonly #copies: { readonly name: string; readonly holds: string }[] = []
  readonly #choices: Iterator<number>
  #current = ''
  #newest = ''
  #count = 0

  constructor(choices: Iterator<number>) {
    this.#choices = choices
  }

  readonly steps: Record<Step, () => Promise<void>> = {
    run: async () => {
      if (this.#current !== this.#newest) this.#decide()
      await run(this.fixture, `note ${this.#count++}`)
      this.#current = this.#read()
      this.#newest = this.#current
      await this.fixture.storage.close()
      for (const text of notesIn(`${this.fixture.file}.backup`)) this.backedUp.add(text)
    },
    copy: async () => {
      if (!existsSync(this.fixture.file)) return
      const name = `${this.fixture.file}.mine-${this.#copies.length}`
      copyFileSync(this.fixture.file, name)
      this.#copies.push({ name, holds: this.#current })
    },
    'put back': async () => {
      const copy = this.#copies[this.#choose(Math.max(1, this.#copies.length))]
      if (!copy) return
      copyFileSync(copy.name, this.fixture.file)
      this.#current = copy.holds
    },
    'days pass': async () => this.fixture.clock.advance(2 * dayMs),
  }

  #decide(): void {
    const { fixture } = this
    expect(() => open(fixture)).toThrow(refused('STORAGE_OLDER'))
    const older = findOlder(fixture.file)
    if (older?.newer && this.#choose(2) === 0) restoreNewer(fixture.file, ports(fixture))
    else acceptOlder(fixture.file, ports(fixture))
  }

  #choose(count: number): number {
    return Number(this.#choices.next().value) % count
  }

  #read(): string {
    return readTexts(this.fixture).join()
  }
}

test('whatever copies are put back and decided about, nothing that a backup held is lost, and no older file is used unasked', async () => {
  const weights = { run: 4, copy: 2, 'put back': 2, 'days pass': 2 } satisfies Record<Step, number>
  const step = fc.oneof(
    ...Object.entries(weights).map(([name, weight]) => ({ weight, arbitrary: fc.constant(name as Step) })),
  )
  const steps = fc.array(step, { minLength: 6, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(steps, fc.infiniteStream(fc.nat()), async (told, choices) => {
      const story = new Story(choices)
      for (const each of told) await story.steps[each]()
      expect([...notesAnywhere(story.fixture.folder)]).toEqual(expect.arrayContaining([...story.backedUp]))
    }),
    { numRuns: 25 },
  )
})

describe('svc storage', () => {
  it('lists the databases, and restores or accepts those that are older', async () => {
    await using kernel = await testKernel({ plugins: ['storage'], clock: virtualClock(Date.now() + 2 * dayMs) })
    const file = join(kernel.home, 'data/notes/notes.db')
    const add = async (text: string) => {
      const database = kernel.use(Storage).open({ file, migrations: notes })
      database.prepare('INSERT INTO notes (text) VALUES (?)').run(text)
      await database.close()
    }
    await add('milk')
    copyFileSync(file, `${file}.mine`)
    rmSync(`${file}.backup`)
    await add('bread')
    expect((await kernel.run(['storage'])).out).toMatch(/^data\/notes\/notes\.db {2}\d+ bytes, backup of \S+\n$/)
    expect(await kernel.run(['storage', 'restore'])).toMatchObject({
      code: 0,
      err: expect.stringContaining('Nothing was changed'),
    })

    copyFileSync(`${file}.mine`, file)
    expect((await kernel.run(['storage', 'list'])).out).toContain('OLDER than its backup')
    expect(JSON.parse((await kernel.run(['storage', '--json'])).out)).toMatchObject([
      { file, isOlder: true, newer: `${file}.backup` },
    ])
    const restored = await kernel.run(['storage', 'restore', 'data/notes/notes.db'])
    expect(restored).toMatchObject({ code: 0, out: expect.stringContaining('The older file is kept as') })
    expect((await kernel.run(['storage'])).out).not.toContain('OLDER')

    copyFileSync(`${file}.mine`, file)
    const accepted = await kernel.run(['storage', 'accept', '--json'])
    expect(JSON.parse(accepted.out)).toMatchObject([{ file, kept: [expect.stringContaining('.backup.newer-')] }])
    const database = kernel.use(Storage).open({ file, migrations: notes })
    expect(database.prepare('SELECT text FROM notes').all()).toEqual([{ text: 'milk' }])
    expect(await kernel.run(['storage', 'accept', file])).toMatchObject({
      code: 1,
      err: expect.stringContaining('not a database'),
    })
    expect(readdirSync(join(kernel.home, 'data/notes')).filter((name) => /\.older-\S+Z$/.test(name))).toHaveLength(1)
  })
})

test('a file that another process takes further while it is opened is not taken for an older one', () => {
  const { folder } = storageFixture()
  const file = join(folder, 'shared.db')
  const connection = connect(file)
  connection.exec('CREATE TABLE t (id INTEGER)')
  setGeneration(connection, 1)
  recordGeneration(file, 1, countingRandom())
  const raced = Object.create(connection, {
    name: { value: file },
    pragma: {
      value: (...given: Parameters<typeof connection.pragma>) => {
        const own = connection.pragma(...given)
        setGeneration(connection, 2)
        recordGeneration(file, 2, countingRandom())
        return own
      },
    },
  })
  expect(() => refuseOlder(raced)).not.toThrow()
  setGeneration(connection, 1)
  expect(() => refuseOlder(connection)).toThrow('older than when svc last used it')
  connection.close()
})
