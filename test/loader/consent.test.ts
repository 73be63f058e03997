import { chmodSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginInfo } from 'svc/sdk/host'
import { Consents } from 'svc/sdk/safety'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import type { PluginRecord } from '../../kernel/plugin-record.ts'
import { ConsentStore } from '../../loader/consent.ts'
import { ConsentService } from '../../loader/consent-service.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

const manifest = { name: 'mine', version: '1.0.0', sdk: '^0.1.0', kind: 'tool', description: 'Mine.' }
const code = (word: string) =>
  `globalThis.ranMine = '${word}'; export default { setup() { globalThis.setUp = '${word}' } }`

function pluginIn(folder: string, word = 'one'): void {
  writeFiles(folder, { 'plugins/mine/plugin.json': manifest, 'plugins/mine/index.js': code(word) })
}

/** A home that has the plugin in it, named in config.yaml. */
function homeWithPlugin(): string {
  const home = temporaryFolder()
  pluginIn(home)
  writeFiles(home, { 'config.yaml': 'plugins: { enabled: [mine] }\n' })
  return home
}

async function statusIn(home: string, options: Parameters<typeof testKernel>[0] = {}) {
  Reflect.deleteProperty(globalThis, 'ranMine')
  await using kernel = await testKernel({ home, plugins: ['mine'], ...options })
  const { status, reason } = kernel.plugins.info('mine') as PluginInfo
  return { status, reason, ran: Reflect.get(globalThis, 'ranMine') }
}

async function agree(home: string, options: Parameters<typeof testKernel>[0] = {}, development = false) {
  await using kernel = await testKernel({ home, ...options })
  const info = kernel.plugins.info('mine') as PluginInfo
  const consents = kernel.use(Consents)
  const { hash } = await consents.inspect(info)
  await consents.agree(info, hash, { development })
}

const file = (home: string) => join(home, 'consents', 'consents.json')

test('what lies in the home and is named by hand runs at first sight, and that is a consent to this code', async () => {
  const home = homeWithPlugin()
  expect(await statusIn(home)).toMatchObject({ status: 'started' })
  expect(statSync(file(home)).mode & 0o777).toBe(0o600)
  expect(statSync(join(home, 'consents')).mode & 0o777).toBe(0o700)
  expect(JSON.parse(readFileSync(file(home), 'utf8')).plugins).toMatchObject([{ name: 'mine', by: 'first use' }])
})

test.for(['index.js', '.hidden', 'node_modules/x/index.js', 'data.txt'])(
  'after a change of %s nothing of the plugin runs until a person agrees again',
  async (changed) => {
    const home = homeWithPlugin()
    await statusIn(home)
    writeFiles(home, { [`plugins/mine/${changed}`]: code('two') })
    const reason = 'its code changed since you agreed; run svc plugins enable mine'
    expect(await statusIn(home)).toEqual({ status: 'left-out', reason, ran: undefined })
    await agree(home)
    expect(await statusIn(home)).toMatchObject({ status: 'started' })
  },
)

test('other code of the same name in another place of the home is not what was agreed to', async () => {
  const home = homeWithPlugin()
  await statusIn(home)
  renameSync(join(home, 'plugins', 'mine'), join(temporaryFolder(), 'mine'))
  pluginIn(home, 'two')
  expect(await statusIn(home)).toMatchObject({ status: 'left-out', reason: expect.stringContaining('changed') })
})

test('with consent to changes in this place whatever is there runs, and a later consent ends that', async () => {
  const home = homeWithPlugin()
  await agree(home, {}, true)
  pluginIn(home, 'two')
  expect(await statusIn(home)).toMatchObject({ status: 'started' })
  await agree(home)
  pluginIn(home, 'three')
  expect(await statusIn(home)).toMatchObject({ status: 'left-out' })
})

test.for(['{', '[]', '{"plugins":[{}]}', 'null', ''])(
  'a record that holds %j refuses, and is not begun anew',
  async (text) => {
    const home = homeWithPlugin()
    await statusIn(home)
    writeFileSync(file(home), text)
    expect(await statusIn(home)).toMatchObject({
      status: 'left-out',
      reason: expect.stringContaining(file(home)),
      ran: undefined,
    })
    expect(readFileSync(file(home), 'utf8')).toBe(text)
  },
)

test.skipIf(process.platform === 'win32')('a record that others can write is not believed', async () => {
  const home = homeWithPlugin()
  await statusIn(home)
  chmodSync(file(home), 0o666)
  expect(await statusIn(home)).toMatchObject({ status: 'left-out', reason: expect.stringContaining('chmod 600') })
})

/** A project with the plugin in it. */
function project(word = 'one'): string {
  const dir = temporaryFolder()
  pluginIn(join(dir, '.svc'), word)
  return dir
}

const inProject = (cwd: string) => ({ cwd, env: { SVC_ENABLE_PROJECT_PLUGINS: '1' } })

test('a plugin of a project never runs by its name alone, and consent in one project is none in another', async () => {
  const home = temporaryFolder()
  writeFiles(home, { 'config.yaml': 'plugins: { enabled: [mine] }\n' })
  const [first, second] = [project(), project('two')]
  const refused = {
    status: 'left-out',
    reason: expect.stringContaining('not agreed to it in this project'),
    ran: undefined,
  }
  expect(await statusIn(home, inProject(first))).toEqual(refused)
  await agree(home, inProject(first))
  expect(await statusIn(home, inProject(first))).toMatchObject({ status: 'started' })
  expect(await statusIn(home, inProject(second))).toEqual(refused)
  writeFiles(second, { '.svc/plugins/mine/index.js': code('one') })
  expect(await statusIn(home, inProject(second))).toEqual(refused)
})

test('settings that change with the project are asked about like its code', async () => {
  const home = temporaryFolder()
  writeFiles(home, { 'config.yaml': 'plugins: { enabled: [mine] }\n' })
  const dir = project()
  await agree(home, inProject(dir))
  writeFiles(dir, { '.svc/config.yaml': 'plugins: { entries: { mine: { url: "http://evil.example" } } }\n' })
  expect(await statusIn(home, inProject(dir))).toMatchObject({ status: 'left-out' })
})

test('code that was not agreed to is not run for its schema either', async () => {
  const home = homeWithPlugin()
  writeFiles(home, { 'config.yaml': 'plugins: { entries: { mine: { a: 1 } } }\n' })
  Reflect.deleteProperty(globalThis, 'ranMine')
  await using kernel = await testKernel({ home, plugins: ['config-cli'] })
  await expect(kernel.plugins.module('mine')).rejects.toThrow('not enabled')
  await kernel.run(['config', 'check'])
  await kernel.run(['config', 'set', 'plugins.entries.mine.a', '2'])
  expect(Reflect.get(globalThis, 'ranMine')).toBeUndefined()
})

test('code that changes between the plan and the import does not run', async () => {
  const home = homeWithPlugin()
  await agree(home)
  await using kernel = await testKernel({ home, plugins: ['config'] })
  Reflect.deleteProperty(globalThis, 'ranMine')
  pluginIn(home, 'two')
  await expect(kernel.plugins.module('mine')).rejects.toThrow('changed since you agreed')
  expect(Reflect.get(globalThis, 'ranMine')).toBeUndefined()
})

test('what changed is told file by file, with the texts of small ones', async () => {
  const home = homeWithPlugin()
  writeFiles(home, {
    'plugins/mine/old.txt': 'gone',
    'plugins/mine/same.txt': 'same',
    'plugins/mine/big': 'x'.repeat(70_000),
  })
  await agree(home)
  rmSync(join(home, 'plugins/mine/old.txt'))
  pluginIn(home, 'two')
  writeFiles(home, { 'plugins/mine/new.txt': 'here', 'plugins/mine/big': 'y'.repeat(70_000) })
  await using kernel = await testKernel({ home })
  const state = await kernel.use(Consents).inspect(kernel.plugins.info('mine') as PluginInfo)
  expect(state).toMatchObject({ agreed: 'changed', files: 5 })
  expect(state.changes).toEqual([
    { file: 'big', what: 'changed' },
    { file: 'index.js', what: 'changed', before: code('one'), after: code('two') },
    { file: 'new.txt', what: 'added', after: 'here' },
    { file: 'old.txt', what: 'removed', before: 'gone' },
  ])
})

test('consent is to what was shown: code that changed meanwhile is not agreed to', async () => {
  const home = homeWithPlugin()
  const store = new ConsentStore(home, () => 1)
  const found: PluginRecord = { manifest, origin: 'home', dir: join(home, 'plugins', 'mine') }
  const { hash } = store.inspect(found)
  pluginIn(home, 'two')
  expect(() => store.agree(found, hash)).toThrow('was changed while you were asked')
  expect(existsSync(file(home))).toBe(false)
  store.agree(found, store.inspect(found).hash)
  expect(store.inspect(found).agreed).toBe('yes')
  store.forget(found)
  expect(store.inspect(found).agreed).toBe('none')
})

test('a first use is told once, and trust in changes at every start', async () => {
  const home = homeWithPlugin()
  const found: PluginRecord = { manifest, origin: 'home', dir: join(home, 'plugins', 'mine') }
  const clock = { now: () => 1 } as ConstructorParameters<typeof ConsentService>[1]
  const start = () => new ConsentService({ dir: home } as never, clock, async () => [found])
  const first = start()
  expect((await first.judge(found)).refusal).toBeUndefined()
  expect(first.notices()).toEqual([expect.stringContaining('runs for the first time')])
  expect(first.notices()).toEqual([])
  const second = start()
  await second.judge(found)
  expect(second.notices()).toEqual([])
  await second.agree(found, (await second.inspect(found)).hash, { development: true })
  for (const service of [start(), start()]) {
    await service.judge(found)
    expect(service.notices()).toEqual([expect.stringContaining('mine runs whatever is in')])
  }
})
