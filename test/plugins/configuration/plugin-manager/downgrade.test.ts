/** An older version of a plugin meets what a newer one stored: it is named, nothing is lost, and a rollback brings both back. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CliResult } from 'svc/sdk/testing'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { plugins, readConfig, temporaryFolder, writeFolder, writePlugin } from './support.ts'

const yes = ['--yes', '--no-verify']

/** A ledger that counts in a database, in its state, and in the state of a session. Version 2 has another form of each. */
function writeLedger(folder: string, version: 1 | 2): string {
  const manifest = {
    name: 'ledger',
    version: `${version}.0.0`,
    sdk: '^0.2.0',
    kind: 'tool',
    description: 'Keeps entries.',
    requires: ['storage', 'sessions'],
    cli: [{ name: 'ledger', description: 'Entries' }],
  }
  const steps = ['CREATE TABLE entries (text TEXT NOT NULL)', 'ALTER TABLE entries ADD COLUMN weight INTEGER DEFAULT 1']
  const schema = `{ version: ${version}, schema: any, initial: [], migrate: (value) => value }`
  const code = `import { join } from 'node:path'
import { CliCommands, definePlugin, Sessions } from 'svc/sdk'
import { ManagedDatabase, Storage } from 'svc/sdk/storage'
const any = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }

export default definePlugin({
  setup(ctx) {
    const file = join(ctx.dataDir, 'ledger.db')
    const database = new ManagedDatabase(() => ctx.use(Storage), { file, migrations: ${JSON.stringify(steps.slice(0, version))} })
    const state = ctx.state('entries', ${schema})
    const ofSession = ctx.sessionState('entries', ${schema})
    ctx.defer(() => database.close())
    ctx.add(CliCommands, {
      name: 'ledger',
      description: 'Entries',
      arguments: '<where> [text] [session]',
      async run({ args: [where, text, session] }) {
        if (where === 'database') {
          if (text) database.use((db) => db.prepare('INSERT INTO entries (text) VALUES (?)').run(text))
          return database.use((db) => db.prepare('SELECT text FROM entries').all()).map((row) => row.text).join(' ')
        }
        if (where === 'state') return (text ? await state.update((old) => [...old, text]) : state.get()).join(' ')
        if (text === 'begin') {
          const { id } = ctx.use(Sessions).create()
          ofSession.set(id, ['noted'])
          return id
        }
        return ofSession.get(session).join(' ')
      },
    })
  },
})
`
  return writeFolder(folder, { 'plugin.json': JSON.stringify(manifest), 'index.js': code })
}

/** A process that starts now runs one command of a plugin. */
async function run(home: string, ...words: string[]): Promise<CliResult> {
  await using kernel = await testKernel({ home, plugins: ['ledger', 'greeter', 'sessions'] })
  return kernel.run(words)
}

async function said(home: string, ...words: string[]): Promise<string> {
  const { code, out, err } = await run(home, ...words)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return out.trim()
}

/** What the plugin stored, with its content. */
function readData(home: string): Record<string, string> {
  const dir = join(home, 'data', 'ledger')
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(db|json)$/.test(file))
  return Object.fromEntries(files.sort().map((file) => [file, readFileSync(join(dir, file), 'base64')]))
}

/** A home in which version 2 has stored something everywhere, after version 1, and version 1 is installed again. */
async function downgraded() {
  const [home, source, older, other] = [temporaryFolder(), temporaryFolder(), temporaryFolder(), temporaryFolder()]
  writeLedger(source, 1)
  writeLedger(older, 1)
  const greet = `setup(ctx) { ctx.add(sdk.CliCommands, { name: 'greet', description: 'Greets', run: () => 'Good day!' }) }`
  writePlugin(other, 'greeter', { cli: [{ name: 'greet', description: 'Greets' }] }, greet)
  for (const folder of [source, join(other, 'greeter')])
    expect(await plugins(home, ['install', folder, ...yes])).toMatchObject({ code: 0 })
  await said(home, 'ledger', 'database', 'one')
  await said(home, 'ledger', 'state', 'one')
  writeLedger(source, 2)
  expect(await plugins(home, ['update', 'ledger', ...yes])).toMatchObject({ code: 0 })
  expect(await said(home, 'ledger', 'database', 'two')).toBe('one two')
  expect(await said(home, 'ledger', 'state', 'two')).toBe('one two')
  const session = await said(home, 'ledger', 'session', 'begin')
  return { home, older, session }
}

test('a database, state and state of sessions of version 2 are refused by version 1, which is named; a rollback brings all back', async () => {
  const { home, older, session } = await downgraded()
  const update = await plugins(home, ['update', 'ledger', '--from', older, ...yes])
  expect(update).toMatchObject({ code: 0, out: expect.stringContaining('svc plugins rollback ledger') })
  const before = readData(home)
  for (const [where, code, what] of [
    [
      'database',
      'STORAGE_TOO_NEW',
      /The database .*ledger\.db was written by a later version of the plugin ledger \(schema 2, this one knows 1\)/,
    ],
    ['state', 'STATE_TOO_NEW', /the state "entries" of ledger was written by a later version of the plugin \(schema 2/],
    ['session', 'STATE_TOO_NEW', /"ledger:entries" .*was written by a later version of the plugin/],
  ] as const) {
    const refused = await run(home, 'ledger', where, ...(where === 'session' ? ['', session] : []))
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err).toMatch(what)
    expect(refused.err).toContain(`(${code})`)
    expect(refused.err).toMatch(/svc plugins (update|rollback) ledger|Install that version again/)
    expect(refused.err).not.toMatch(/Update svc/i)
    expect(await said(home, 'greet')).toBe('Good day!')
  }
  // Also what would have written.
  expect((await run(home, 'ledger', 'database', 'three')).err).toContain('STORAGE_TOO_NEW')
  expect((await run(home, 'ledger', 'state', 'three')).err).toContain('STATE_TOO_NEW')
  expect(readData(home)).toEqual(before)

  expect(await plugins(home, ['rollback', 'ledger', '--yes'])).toMatchObject({ code: 0 })
  expect(await said(home, 'ledger', 'database', 'three')).toBe('one two three')
  expect(await said(home, 'ledger', 'state', 'three')).toBe('one two three')
  expect(await said(home, 'ledger', 'session', '', session)).toBe('noted')
})

test('a rollback to version 1 gives it the data that it can read, and keeps those of version 2', async () => {
  const { home } = await downgraded()
  const { code, out } = await plugins(home, ['rollback', 'ledger', '--yes'])
  expect(code).toBe(0)
  expect(await said(home, 'ledger', 'database', 'more')).toBe('one more')
  expect(await said(home, 'ledger', 'state')).toBe('one')
  const kept = /of 2\.0\.0 are kept in (\S+) /.exec(out)?.[1] ?? ''
  expect(readFileSync(join(kept, 'data', 'state', 'entries.json'), 'utf8')).toContain('two')
})

test('settings of version 2 keep version 1 out with a reason that names it and its block; the file stays as it is', async () => {
  const [home, source, older] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
  const cli = [{ name: 'tone', description: 'The tone' }]
  const tone = (version: number) => {
    const [steps, key] =
      version === 2 ? ['configMigrations: [({ tone }) => ({ voice: tone })],', 'voice'] : ['', 'tone']
    const add = `ctx.add(sdk.CliCommands, { name: 'tone', description: 'The tone', run: () => String(ctx.config.${key}) })`
    return `${steps} config: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }, setup(ctx) { ${add} }`
  }
  const write = (folder: string, version: number) =>
    writePlugin(
      folder,
      'ledger',
      { sdk: '^0.2.0', version: `${version}.0.0`, cli, config: 'tones.ledger' },
      tone(version),
    )
  write(older, 1)
  expect(await plugins(home, ['install', write(source, 1), ...yes])).toMatchObject({ code: 0 })
  expect(await plugins(home, ['install', writePlugin(temporaryFolder(), 'greeter'), ...yes])).toMatchObject({ code: 0 })
  writeFileSync(join(home, 'config.yaml'), `${readConfig(home)}tones:\n  ledger: { tone: warm } # mine\n`)
  expect(await said(home, 'tone')).toBe('warm')
  write(source, 2)
  expect(await plugins(home, ['update', 'ledger', ...yes])).toMatchObject({ code: 0 })
  await using kernel = await testKernel({ home, plugins: ['config-cli', 'ledger'] })
  expect(await kernel.run(['config', 'migrate'], { interactive: true, answers: ['yes'] })).toMatchObject({ code: 0 })
  await kernel.stop()
  const config = readConfig(home)
  expect(config).toMatch(/voice: warm.*settings_version: 1|settings_version: 1.*voice: warm/s)
  await plugins(home, ['update', 'ledger', '--from', join(older, 'ledger'), ...yes])
  expect(readConfig(home)).toBe(config)
  await using old = await testKernel({ home, plugins: ['ledger', 'greeter', 'sessions'] })
  const reason = 'config.yaml: tones.ledger has settings_version 1, and this version of the plugin knows 0'
  expect(old.problems()).toMatchObject([{ plugin: 'ledger', message: expect.stringContaining(reason) }])
  expect(old.plugins.info('greeter')?.status).toBe('started')
  const refused = await old.run(['tone'])
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toContain('ledger')
  expect(refused.err).toContain(reason)
  await old.stop()
  expect(readConfig(home)).toBe(config)
  expect(await plugins(home, ['rollback', 'ledger', '--yes'])).toMatchObject({ code: 0 })
  expect(await said(home, 'tone')).toBe('warm')
})
