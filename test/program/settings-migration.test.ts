import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigFile, type InlinePlugin } from 'svc/sdk/host'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { runBuilt } from '../support/built.ts'
import { agreeTo } from '../support/consent.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

type Settings = Record<string, unknown>

/** A plugin whose `colour` became `color`, and then a list. */
const paint = (seen: unknown[], more: Partial<InlinePlugin> = {}): InlinePlugin => ({
  name: 'paint',
  config: z.strictObject({ color: z.array(z.string()).default([]), size: z.number().default(1) }) as never,
  configMigrations: [
    ({ colour, ...rest }) => ({ ...rest, ...(colour !== undefined && { color: colour }) }),
    (old) => (typeof old['color'] === 'string' ? { ...old, color: [old['color']] } : old),
  ],
  setup: (ctx) => void seen.push(ctx.config),
  ...more,
})

async function load(block: Settings | undefined, more: Partial<InlinePlugin> = {}) {
  const seen: unknown[] = []
  const config = { plugins: { entries: block === undefined ? {} : { paint: block } } }
  await using kernel = await testKernel({ config, with: [paint(seen, more)] })
  return { config: seen[0], problems: kernel.problems(), block }
}

test('settings of an earlier version are migrated in memory before the schema checks them', async () => {
  const old = { colour: 'red', size: 2 }
  expect(await load(old)).toMatchObject({ config: { color: ['red'], size: 2 }, problems: [], block: old })
  expect(await load({ color: 'red', settings_version: 1 })).toMatchObject({ config: { color: ['red'] }, problems: [] })
  expect(await load({ color: ['a'], settings_version: 2 })).toMatchObject({ config: { color: ['a'] }, problems: [] })
  expect(await load(undefined)).toMatchObject({ config: { color: [], size: 1 }, problems: [] })
})

test('a step that throws, a refused result and a later version each keep the plugin out with a named problem', async () => {
  const cases: [Settings, Partial<InlinePlugin>, string, RegExp][] = [
    [
      { a: 1 },
      {
        configMigrations: [
          () => {
            throw new Error('no brush')
          },
        ],
      },
      'SETTINGS_MIGRATION',
      /step 1 of 1.*no brush.*svc config edit/,
    ],
    [{ a: 1 }, { configMigrations: [() => 'text' as never] }, 'SETTINGS_MIGRATION', /did not return a mapping/],
    [{ colour: 5 }, {}, 'SETTINGS_MIGRATION', /from settings_version 0 to 2.*color.*The file is as it was/],
    [{ color: [], settings_version: 3 }, {}, 'SETTINGS_TOO_NEW', /has settings_version 3.*knows 2/],
    [{ color: [], settings_version: 1 }, { configMigrations: [] }, 'SETTINGS_TOO_NEW', /knows 0/],
    [{ color: [], settings_version: 'x' }, {}, 'CONFIG_INVALID', /must be a whole number/],
  ]
  for (const [block, more, code, message] of cases) {
    const { config, problems } = await load(block, more)
    expect(config).toBeUndefined()
    expect(problems).toMatchObject([
      { plugin: 'paint', stage: 'config', code, message: expect.stringMatching(message) },
    ])
  }
})

/** A home whose file the writer edits. */
async function openHome(yaml: string) {
  const home = temporaryFolder()
  writeFiles(home, { 'config.yaml': yaml })
  const kernel = await testKernel({ home, plugins: ['config'], with: [paint([])] })
  return { kernel, file: kernel.use(ConfigFile), yaml: () => readFileSync(join(home, 'config.yaml'), 'utf8') }
}
const by = { author: 'test', reason: 'a story' }
const old = 'plugins:\n  entries:\n    paint:\n      # mine\n      size: 2 # big\n      colour: ${TINT}\n'

test('the writer migrates a block, keeps comments and references, and takes it back with one undo', async () => {
  const { kernel, file, yaml } = await openHome(old)
  await using _ = kernel
  await file.migrateSettings('paint', by)
  expect(yaml()).toContain('# mine\n      size: 2 # big\n')
  expect(yaml()).toContain('color: ["${TINT}"]')
  expect(yaml()).toContain('settings_version: 2')
  expect(yaml()).not.toContain('colour')
  expect(await file.migrateSettings('paint', by)).toBeUndefined()
  expect((await file.check()).filter(({ path }) => path.includes('settings_version'))).toEqual([])
  await file.undo()
  expect(yaml()).toBe(old)
})

test('an edit of a block in an earlier form migrates it too, and a new block begins with the newest version', async () => {
  const first = await openHome(old.replace('${TINT}', 'red'))
  await first.file.write([{ path: 'plugins.entries.paint.size', value: 3 }], by)
  expect(first.yaml()).toContain('size: 3 # big')
  expect(first.yaml()).toContain('settings_version: 2')
  expect(first.yaml()).not.toContain('colour')
  await first.kernel.stop()
  const second = await openHome('a: 1\n')
  await second.file.write([{ path: 'plugins.entries.paint.size', value: 3 }], by)
  expect(second.yaml()).toContain('settings_version: 2')
  await second.kernel.stop()
})

test('config migrate writes the settings of all plugins that have some', async () => {
  const { kernel, file, yaml } = await openHome(`config_version: 1\n${old.replace('${TINT}', 'red')}`)
  await using _ = kernel
  expect(await file.migrate()).toMatchObject({ plugins: ['paint'] })
  expect(yaml()).toContain('settings_version: 2')
  expect(await file.migrate()).toMatchObject({ plugins: [] })
})

test('what the schema refuses after a migration leaves the file as it is', async () => {
  const text = old.replace('${TINT}', '[[1]]')
  const { kernel, file, yaml } = await openHome(text)
  await using _ = kernel
  await file.migrateSettings('paint', by).catch(() => undefined)
  expect(yaml()).toBe(text)
})

test('through the program: a conversation writes the migrated settings, a command and a program of the agent do not', () => {
  const home = temporaryFolder()
  const code = `import { definePlugin, CliCommands } from 'svc/sdk'
export default definePlugin({
  config: { '~standard': { version: 1, vendor: 'x', validate: (value) => ('colour' in value ? { issues: [{ message: 'old' }] } : { value }) } },
  configMigrations: [({ colour, ...rest }) => ({ ...rest, color: colour })],
  setup(ctx) {
    ctx.add(CliCommands, { name: 'paint', description: 'Show the color', run: async (_args, io) => { io.out(JSON.stringify(ctx.config) + '\\n'); return 0 } })
  },
})`
  const manifest = {
    name: 'paint',
    version: '1.0.0',
    sdk: '^0.2.0',
    kind: 'tool',
    description: 'Paint.',
    with: ['agent'],
    cli: [{ name: 'paint', description: 'Show the color' }],
    contributes: { cli: ['paint'] },
  }
  const yaml = 'config_version: 1\nplugins:\n  enabled: [paint]\n  entries:\n    paint:\n      colour: red # mine\n'
  writeFiles(home, { 'plugins/paint/plugin.json': manifest, 'plugins/paint/index.js': code, 'config.yaml': yaml })
  agreeTo(home, 'paint')
  const file = () => readFileSync(join(home, 'config.yaml'), 'utf8')
  expect(runBuilt(['paint'], { home })).toMatchObject({ out: '{"color":"red"}\n', code: 0 })
  expect(file()).toBe(yaml)
  runBuilt(['chat', '-q', 'hello'], { home, env: { [AGENT_PROCESS_VARIABLE]: '1' } })
  expect(file()).toBe(yaml)
  runBuilt(['chat', '-q', 'hello'], { home })
  expect(file()).toContain('color: red # mine')
  expect(file()).toContain('settings_version: 1')
  expect(runBuilt(['paint'], { home }).out).toBe('{"color":"red"}\n')
  expect(runBuilt(['config', 'undo'], { home }).code).toBe(0)
  expect(file()).toBe(yaml)
  writeFileSync(join(home, 'config.yaml'), yaml.replace('colour: red', 'settings_version: 2'))
  const late = runBuilt(['paint'], { home })
  expect(late.code).not.toBe(0)
  expect(late.err).toContain('settings_version 2')
})
