/** Faults of installations: each is found and named with what to do; what needs no decision is repaired, and nothing is lost. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import Driver from 'better-sqlite3'
import type { InlinePlugin } from 'svc/sdk/host'
import { Credentials } from 'svc/sdk/provider'
import { Storage } from 'svc/sdk/storage'
import { fakeProvider, type TestKernel, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'

const MODEL = 'model:\n  provider: fake\n  default: fake-1\n'
/** No process has this id: the largest of Linux is 2^22. */
const ENDED = 99_999_999
const HOUR_AGO = new Date(Date.now() - 2 * 3_600_000)

interface Fault {
  readonly name: string
  /** Makes the fault in a home; with a kernel that ran there before, if one is needed. */
  readonly seed: (home: string) => void | Promise<void>
  /** Plugins of the user. */
  readonly plugins?: readonly InlinePlugin[]
  readonly found: RegExp
  /** Commands that repair what a person decides; left out: `svc doctor --fix` does. */
  readonly commands?: readonly (readonly string[])[]
  /** What must hold afterwards. */
  readonly after?: (home: string) => void
}

const write = (path: string, text: string, at?: Date) => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, text, { mode: 0o600 })
  if (at) utimesSync(path, at, at)
}

/** Runs svc in the home, as an earlier day did. */
async function use(home: string, work: (kernel: TestKernel) => unknown = () => {}): Promise<void> {
  await using kernel = await testKernel({ plugins: ['doctor'], with: [fakeProvider(['hi']).plugin], home })
  await work(kernel)
}

function database(home: string, rows: number): string {
  const file = join(home, 'data/x/notes.db')
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const open = new Driver(file)
  open.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS notes (text)')
  for (let row = 0; row < rows; row++) open.prepare('INSERT INTO notes VALUES (?)').run('x'.repeat(1000))
  open.close()
  chmodSync(file, 0o600)
  return file
}

const config = (home: string) => readFileSync(join(home, 'config.yaml'), 'utf8')

const faults: readonly Fault[] = [
  {
    name: 'a line of config.yaml is broken',
    seed: async (home) => {
      await use(home, (kernel) => kernel.run(['config', 'set', 'display.timestamps', 'true']))
      write(join(home, 'config.yaml'), 'model: [\n')
    },
    found: /broken; its state of/,
    after: (home) => expect(config(home)).toContain('fake-1'),
  },
  {
    name: 'config.yaml is empty',
    seed: async (home) => {
      await use(home, (kernel) => kernel.run(['config', 'set', 'display.timestamps', 'true']))
      write(join(home, 'config.yaml'), '')
    },
    found: /gone, empty/,
    after: (home) => expect(config(home)).toContain('fake-1'),
  },
  {
    name: 'config.yaml can be read by others',
    seed: (home) => chmodSync(join(home, 'config.yaml'), 0o644),
    found: /config\.yaml can be read by others/,
    after: (home) => expect(statSync(join(home, 'config.yaml')).mode & 0o777).toBe(0o600),
  },
  {
    name: '.env can be changed by others',
    seed: (home) => {
      write(join(home, '.env'), 'OPENAI_API_KEY=sk-0123456789abcdef\n')
      chmodSync(join(home, '.env'), 0o666)
    },
    found: /\.env can be changed by others/,
    after: (home) => expect(statSync(join(home, '.env')).mode & 0o777).toBe(0o600),
  },
  {
    name: 'a key of config.yaml is misspelt',
    seed: (home) => write(join(home, 'config.yaml'), `${MODEL}display:\n  timestmaps: true\n`),
    found: /display\.timestmaps: unknown setting/,
    after: (home) => expect(config(home)).toMatch(/timestamps: true/),
  },
  {
    name: 'a secret is in config.yaml',
    seed: (home) => write(join(home, 'config.yaml'), `${MODEL}OPENAI_API_KEY: sk-0123456789abcdef\n`),
    found: /is a secret and belongs into \.env/,
    after: (home) => {
      expect(config(home)).not.toContain('sk-0123')
      expect(readFileSync(join(home, '.env'), 'utf8')).toContain('OPENAI_API_KEY=sk-0123456789abcdef')
    },
  },
  {
    name: 'a variable is in .env twice',
    seed: (home) => write(join(home, '.env'), 'OPENAI_API_KEY=sk-old0123456789\nOPENAI_API_KEY=sk-new0123456789\n'),
    found: /is set again below in \.env/,
    after: (home) =>
      expect(readFileSync(join(home, '.env'), 'utf8')).toBe(
        '# OPENAI_API_KEY=sk-old0123456789\nOPENAI_API_KEY=sk-new0123456789\n',
      ),
  },
  {
    name: '.env was written half',
    seed: (home) => write(join(home, '.env'), 'OPENAI_API_KEY=sk-0123456789abcdef\nANTHROPIC_AP'),
    found: /is not NAME=value/,
    after: (home) =>
      expect(readFileSync(join(home, '.env'), 'utf8')).toBe('OPENAI_API_KEY=sk-0123456789abcdef\n# ANTHROPIC_AP'),
  },
  {
    name: 'a key refers to a variable that is not set',
    seed: (home) => write(join(home, 'config.yaml'), `${MODEL}  api_key: \${ACME_KEY}\n`),
    found: /refers to ACME_KEY, which is not set/,
    commands: [['config', 'set', 'ACME_KEY', 'key-0123456789abcdef']],
  },
  {
    name: 'plugins.enabled names a plugin that does not exist',
    seed: (home) => write(join(home, 'config.yaml'), `${MODEL}plugins:\n  enabled: [no-such-plugin]\n`),
    found: /plugins\.enabled names "no-such-plugin"/,
    after: (home) => expect(config(home)).not.toContain('no-such-plugin'),
  },
  {
    name: 'a plugin of the user fails at every start',
    seed: () => {},
    plugins: [
      {
        name: 'broken-toy',
        setup() {
          throw new Error('the toy is broken')
        },
      },
    ],
    found: /The plugin broken-toy does not run/,
    after: (home) => expect(config(home)).toContain('disabled: [broken-toy]'),
  },
  {
    name: 'a database is damaged and has a backup',
    seed: (home) => {
      const file = database(home, 20)
      writeFileSync(`${file}.backup`, readFileSync(file), { mode: 0o600 })
      writeFileSync(file, Buffer.alloc(8192, 'no database '))
    },
    found: /notes\.db is damaged/,
    after: (home) => {
      const open = new Driver(join(home, 'data/x/notes.db'), { readonly: true })
      expect(open.prepare('SELECT count(*) AS count FROM notes').get()).toEqual({ count: 20 })
      open.close()
      expect(readdirSync(join(home, 'data/x')).some((name) => name.startsWith('notes.db.corrupt-'))).toBe(true)
    },
  },
  {
    name: 'a database was put back from an old copy',
    seed: async (home) => {
      const open = (kernel: TestKernel) =>
        kernel.use(Storage).open({ file: join(home, 'data/x/notes.db'), migrations: ['CREATE TABLE notes (text)'] })
      const add = (kernel: TestKernel) => {
        const notes = open(kernel)
        notes.transaction(() => notes.prepare('INSERT INTO notes VALUES (?)').run('a'), { sync: true })
        return notes.close()
      }
      await use(home, add)
      const old = readFileSync(join(home, 'data/x/notes.db'))
      await use(home, add)
      writeFileSync(join(home, 'data/x/notes.db'), old)
    },
    found: /notes\.db is older than when svc last used it/,
    commands: [['storage', 'accept']],
  },
  {
    name: 'the log of a database has grown',
    seed: (home) => {
      const file = database(home, 1)
      const open = new Driver(file)
      open.pragma('wal_autocheckpoint = 0')
      open.exec('BEGIN')
      for (let row = 0; row < 60; row++) open.prepare('INSERT INTO notes VALUES (?)').run('x'.repeat(1_000_000))
      open.exec('COMMIT')
      // As a killed process leaves it.
      const log = readFileSync(`${file}-wal`)
      const main = readFileSync(file)
      open.close()
      writeFileSync(file, main)
      writeFileSync(`${file}-wal`, log, { mode: 0o600 })
    },
    found: /The log of x\/notes\.db has \d/,
    after: (home) => {
      expect(statSync(join(home, 'data/x/notes.db-wal'), { throwIfNoEntry: false })?.size ?? 0).toBe(0)
      expect(statSync(join(home, 'data/x/notes.db')).size).toBeGreaterThan(60_000_000)
    },
  },
  {
    name: 'the log of a database is there without the database',
    seed: (home) => write(join(home, 'data/x/gone.db-wal'), 'log'),
    found: /gone\.db-wal is the log of a database that is not there/,
  },
  {
    name: 'a lock is held by a process that has ended',
    seed: async (home) => {
      const { newHolder } = await import('svc/sdk/kit/process')
      write(join(home, 'data/x/work.lock'), JSON.stringify({ ...newHolder('ab'), pid: ENDED, identity: 'gone' }))
    },
    found: /is a lock of process 99999999, which has ended/,
  },
  {
    name: 'a socket is left of a process that has ended',
    seed: (home) => write(join(home, `run/${ENDED}.sock`), ''),
    found: /is a socket of process 99999999/,
  },
  {
    name: 'a part of a cut write is left',
    seed: (home) => write(join(home, '.config.yaml.4711.svc-tmp'), 'model:', HOUR_AGO),
    found: /svc-tmp is a part of a write that was cut off/,
  },
  {
    name: 'a part of a backup of a database is left',
    seed: (home) => write(join(home, 'data/x/notes.db.backup-part-0a1b2c3d'), 'part', HOUR_AGO),
    found: /backup-part-0a1b2c3d is a part of a write/,
  },
  {
    name: 'the state of a plugin was cut off',
    seed: (home) => write(join(home, 'data/curator/state.json'), '{"version": 1, "val'),
    found: /state\.json is not JSON/,
  },
  {
    name: 'a cache was cut off',
    seed: (home) => write(join(home, 'cache/model-lists.json'), '{'),
    found: /model-lists\.json is not JSON/,
  },
  {
    name: 'the home can be read by others',
    seed: (home) => chmodSync(home, 0o755),
    found: /with private content can be read by others/,
    after: (home) => expect(statSync(home).mode & 0o777).toBe(0o700),
  },
  {
    name: 'a key of svc can be read by others',
    seed: (home) => {
      write(join(home, 'data/x/seal.key'), 'key')
      chmodSync(join(home, 'data/x/seal.key'), 0o644)
    },
    found: /with private content/,
    after: (home) => expect(statSync(join(home, 'data/x/seal.key')).mode & 0o777).toBe(0o600),
  },
  {
    name: 'the folder of a linked plugin is gone',
    seed: (home) => {
      mkdirSync(join(home, 'plugins'), { recursive: true })
      symlinkSync('/nowhere/weather', join(home, 'plugins/weather'))
    },
    found: /weather leads to a folder that is not there/,
  },
  {
    name: 'a restore was killed while it unpacked',
    seed: (home) => {
      const draft = join(dirname(home), '.home.restoring')
      mkdirSync(draft)
      utimesSync(draft, new Date(0), new Date(0))
    },
    found: /is an unfinished restore/,
    after: (home) => expect(existsSync(join(dirname(home), '.home.restoring'))).toBe(false),
  },
  {
    name: 'the model is not one of the provider',
    seed: (home) => write(join(home, 'config.yaml'), MODEL.replace('fake-1', 'fake-9')),
    found: /does not list the model fake-9/,
    commands: [['model', 'set', 'fake', 'fake-1']],
  },
  {
    name: 'no model is chosen',
    seed: (home) => write(join(home, 'config.yaml'), 'display:\n  timestamps: true\n'),
    found: /[Nn]o model/,
    commands: [['model', 'set', 'fake', 'fake-1']],
  },
  {
    name: 'a key was given up',
    seed: (home) =>
      use(home, async (kernel) => {
        const credentials = kernel.use(Credentials)
        await credentials.add({ provider: 'openai', key: 'sk-0123456789abcdef', label: 'work' })
        const key = await credentials.take('openai', [])
        key?.failed({ kind: 'auth', message: 'token_revoked', code: 'invalid_token', retryable: false })
      }),
    found: /The key work of openai was disabled/,
    commands: [['auth', 'remove', 'openai', 'work', '--yes']],
  },
]

test('there are enough of them', () => {
  expect(faults.length).toBeGreaterThanOrEqual(25)
})

test.for(faults)(
  'a fault is found and repaired: $name',
  async ({ seed, plugins = [], found, commands = [['doctor', '--fix']], after }) => {
    const home = join(temporaryFolder(), 'home')
    mkdirSync(home, { mode: 0o700 })
    writeFiles(home, { 'config.yaml': MODEL })
    chmodSync(join(home, 'config.yaml'), 0o600)
    await seed(home)
    const isSeen = async (kernel: TestKernel) => {
      const { out } = await kernel.run(['doctor', '--json'])
      const report = JSON.parse(out) as { checks: { findings: { state: string; text: string; fix?: string }[] }[] }
      const all = report.checks.flatMap(({ findings }) => findings).filter(({ state }) => state !== 'ok')
      for (const finding of all) expect(finding.fix, finding.text).toBeTruthy()
      return all.some(({ text }) => found.test(text)) ? true : all.map(({ text }) => text)
    }
    const options = {
      plugins: ['doctor', 'config-cli', 'auth-cli', 'model-cli'],
      with: [fakeProvider(['hi']).plugin, ...plugins],
      home,
      // A check that a busy machine holds up is no finding.
      clock: virtualClock(Date.now()),
    }
    {
      await using kernel = await testKernel(options)
      expect(await isSeen(kernel)).toBe(true)
      for (const command of commands) {
        const { code, err, out } = await kernel.run(command)
        if (command[0] !== 'doctor') expect(code, `${err}${out}`).toBe(0)
      }
    }
    // The next start finds it no more.
    await using again = await testKernel(options)
    expect(await isSeen(again)).not.toBe(true)
    after?.(home)
  },
)

test('what is moved out of the way is in the trash, with its path', async () => {
  const home = join(temporaryFolder(), 'home')
  mkdirSync(home, { mode: 0o700 })
  write(join(home, 'data/x/state.json'), '{"cut')
  await using kernel = await testKernel({ plugins: ['doctor'], home })
  const { out } = await kernel.run(['doctor', '--fix'])
  expect(out).toMatch(/^repaired {2}.*state\.json is not JSON/m)
  const [slot = ''] = readdirSync(join(home, 'trash/doctor'))
  expect(readFileSync(join(home, 'trash/doctor', slot, 'data/x/state.json'), 'utf8')).toBe('{"cut')
})
