import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { notifyHook, type PluginContext } from 'svc/sdk'
import { Commands, type Manifest } from 'svc/sdk/host'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { agreeTo } from '../../../support/consent.ts'
import { plugins, pluginsJson, running, temporaryFolder, writeFolder, writePlugin } from './support.ts'

interface Row {
  readonly name: string
  readonly status: string
  readonly reason?: string
  readonly running: readonly { readonly pid: number; readonly command: string; readonly generation: number }[]
}
interface Listing {
  readonly plugins: readonly Row[]
  readonly processes: readonly { readonly command: string }[]
}

test('a fresh home shows in a few lines what is ready and what is off until enabled, and --all shows it in full', async () => {
  const home = temporaryFolder()
  const bare = await plugins(home, [])
  expect(bare).toMatchObject({ code: 0, err: '' })
  expect(bare.out).toMatch(/^Ready when needed: .*agent, .*chat, .*config/s)
  expect(bare.out).not.toContain('STATUS')
  expect(bare.out).toMatch(/^Off until enabled: metrics, tracing\. To enable one: svc plugins enable NAME$/m)
  expect((await plugins(home, ['list'])).out).toBe(bare.out)
  const all = await plugins(home, ['--all'])
  expect(all.out).toMatch(/^plugin-manager +command +built-in +ready +Shows/m)
  expect(all.out).toMatch(/^metrics +service +built-in +off +not enabled; svc plugins enable metrics$/m)
})

test('what does not run says why and what to type', async () => {
  const home = temporaryFolder()
  writeFileSync(join(home, 'config.yaml'), 'plugins:\n  disabled: [tool-terminal]\n')
  writePlugin(join(home, 'plugins'), 'asleep')
  writeFolder(join(home, 'plugins', 'garbled'), { 'plugin.json': '{ "name": ' })
  writePlugin(join(home, 'plugins'), 'future', { sdk: '^9.0.0' })
  const { out } = await plugins(home, [])
  expect(out).toMatch(
    /^tool-terminal +tool +built-in +off +disabled in config.yaml; svc plugins enable tool-terminal$/m,
  )
  expect(out).toMatch(/^asleep +tool +home +off +not enabled; svc plugins enable asleep$/m)
  expect(out).toMatch(/^garbled +unknown +home +broken +plugin.json cannot be read: /m)
  expect(out).toMatch(/^future +tool +home +broken +it was written for a newer SDK \(\^9.0.0\)/m)
})

test('plugins that run in another process are shown with it', async () => {
  const home = temporaryFolder()
  writePlugin(join(home, 'plugins'), 'hello')
  writeFileSync(join(home, 'config.yaml'), 'plugins:\n  enabled: [hello]\n')
  await using _chat = await running(home, { plugins: ['control', 'hello'] })
  const { out } = await plugins(home, [])
  expect(out).toMatch(new RegExp(`^hello +tool +home +running +chat ${process.pid}$`, 'm'))
  expect(out).toContain(`Running: chat (process ${process.pid}), 2 plugins loaded`)
  const listing = await pluginsJson<Listing>(home, ['list'])
  const place = { pid: process.pid, command: 'chat', status: 'started', generation: 1, holds: {} }
  expect(listing.plugins.find(({ name }) => name === 'hello')?.running).toEqual([place])
  expect(listing.plugins.find(({ name }) => name === 'sessions')?.running).toEqual([])
  expect(listing.processes).toEqual([{ pid: process.pid, command: 'chat', problems: [] }])
})

test('problems of a running process are listed with the plugin that caused them', async () => {
  const home = temporaryFolder()
  const Ping = notifyHook<string>('test:ping')
  const clumsy = {
    name: 'clumsy',
    setup(ctx: PluginContext<never>) {
      ctx.on(Ping, () => Promise.reject(new Error('dropped it')))
    },
  }
  await using chat = await running(home, { with: [clumsy] })
  await chat.call(Ping, 'x')
  const { out, code } = await plugins(home, [])
  expect(code).toBe(0)
  expect(out).toMatch(/Problems in chat \(process \d+\)\n {2}[\d: -]+ clumsy: hook: test:ping: dropped it\n/)
})

test('a typo in a subcommand or option is refused with what was meant', async () => {
  const home = temporaryFolder()
  expect(await plugins(home, ['lst'])).toMatchObject({ code: 2, err: expect.stringContaining('"svc plugins list"') })
  expect(await plugins(home, ['list', '--jsn'])).toMatchObject({ code: 2, err: expect.stringContaining('--json') })
})

test('a file that stands where plugins should be does not break the list', async () => {
  const home = temporaryFolder()
  mkdirSync(join(home, 'plugins', 'no-manifest'), { recursive: true })
  expect(await plugins(home, [])).toMatchObject({ code: 0, err: '' })
})

test('a description with control characters is shown without them', async () => {
  const home = temporaryFolder()
  writePlugin(join(home, 'plugins'), 'evil', { description: 'nice\u001b[2J\u001b]0;gotcha\u0007' })
  for (const words of [[], ['info', 'evil'], ['enable', 'evil']])
    expect((await plugins(home, words)).out).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
})

test('settings that a plugin does not accept are shown with the line and what to type, though nothing loads it', async () => {
  const home = temporaryFolder()
  writeFileSync(join(home, 'config.yaml'), 'config_version: 1\nmodel: {}\napprovals:\n  mode: manuel\n')
  const { out } = await plugins(home, [])
  expect(out).toMatch(/^approvals +\S+ +built-in +invalid +config\.yaml, line 4: approvals\.mode is "manuel": /m)
  expect(out).toContain('svc config set approvals.mode <value>')
  expect(out).not.toMatch(/Ready when needed: [^.]*\bapprovals\b/s)
  const { code, out: one } = await plugins(home, ['info', 'approvals'])
  expect({ code, one }).toEqual({ code: 0, one: expect.stringContaining('config.yaml, line 4: approvals.mode') })
  expect(one).toMatch(/^status +invalid$/m)
  expect(one).toMatch(/^next +mend its settings/m)
  writeFileSync(join(home, 'config.yaml'), 'config_version: 1\napprovals:\n  mode: manual\n')
  expect((await plugins(home, [])).out).toMatch(/^Ready when needed: [^.]*\bapprovals\b/s)
})

/** A plugin of a user that is agreed to and adds a slash command. */
function writeCommand(home: string, name: string, manifest: Partial<Manifest>, command: string): void {
  writePlugin(join(home, 'plugins'), name, manifest, `setup(ctx) { ctx.add(sdk.SlashCommands, ${command}) }`)
  agreeTo(home, name)
}

test('a plugin that adds an alias of a built-in command is left out before its code runs; list and doctor say why', async () => {
  const home = temporaryFolder()
  const lists = { contributes: { 'slash-commands': ['quick'] }, aliases: { 'slash-commands': ['q'] } }
  writeCommand(home, 'quick', lists, '(() => { throw new Error("its code ran") })()')
  writeFileSync(join(home, 'config.yaml'), 'plugins:\n  enabled: [quick]\n')
  const why = 'it adds slash-commands "q", as conversation does; to use it: svc plugins disable conversation'
  const rows = (await pluginsJson<Listing>(home, ['list'])).plugins
  expect(rows.find(({ name }) => name === 'quick')).toMatchObject({ status: 'left-out', reason: why })
  await using kernel = await testKernel({ home, plugins: ['doctor', 'quick'] })
  const doctor = await kernel.run(['doctor', '--json'])
  expect(doctor.out).toContain('The plugin quick is named in plugins.enabled, but does not run: it adds slash-commands')
})

const quick = "{ name: 'quick', aliases: ['qq'], description: 'Quick', run: () => {} }"

test.for([
  ['names the alias', { aliases: { 'slash-commands': ['qq'] } }],
  ['has no aliases, as written for an earlier SDK', {}],
] as const)('a command with an alias runs when its plugin.json %s', async ([, manifest]) => {
  const home = temporaryFolder()
  writeCommand(home, 'quick', { contributes: { 'slash-commands': ['quick'] }, ...manifest }, quick)
  writeFileSync(join(home, 'config.yaml'), 'plugins:\n  enabled: [quick]\n')
  await using kernel = await testKernel({ home, plugins: ['quick'] })
  expect(kernel.plugins.info('quick')).toMatchObject({ status: 'started' })
  expect(kernel.use(Commands).parse('/qq', 'cli')).toMatchObject({ command: { name: 'quick' } })
})

test('aliases in plugin.json that are not all keep a plugin from running: conflicts could not be seen', async () => {
  const home = temporaryFolder()
  const lists = { contributes: { 'slash-commands': ['quick'] }, aliases: { 'slash-commands': [] } }
  writeCommand(home, 'quick', lists, quick)
  writeFileSync(join(home, 'config.yaml'), 'plugins:\n  enabled: [quick]\n')
  await using kernel = await testKernel({ home, plugins: ['quick'] })
  const reason = 'manifest: plugin.json and behaviour differ: alias of slash-commands "qq" is not in plugin.json'
  expect(kernel.plugins.info('quick')).toMatchObject({ status: 'failed', reason })
})
