import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InlinePlugin, Manifest } from 'svc/sdk/host'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { ConfigStore } from '../../home/config.ts'
import { acceptChanges, findOutsideChanges, type Watched } from '../../home/outside-changes.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

const guard: Manifest = {
  ...{ name: 'guard', version: '1.0.0', sdk: '*', kind: 'service', description: 'guards' },
  protects: { settings: ['guard', 'shop.limit'], files: ['RULES.md'] },
}
const START = Date.UTC(2026, 0, 2, 3, 4, 5)

/** A home, and a start of svc in it. */
function home(files: Readonly<Record<string, string>>) {
  const dir = temporaryFolder()
  writeFiles(dir, files)
  const watched = async (): Promise<Watched> => {
    const config = new ConfigStore(dir, {})
    await config.load()
    return { home: dir, config, manifests: [guard], now: START }
  }
  const start = async (seen = true) => findOutsideChanges(await watched(), seen).map(({ message }) => message)
  return { dir, watched, start }
}

test('the first start has nothing to compare with, and neither has one without a change', async () => {
  const { start } = home({ 'config.yaml': 'guard: { mode: ask }\n', '.env': 'A_KEY=1\n' })
  expect(await start()).toEqual([])
  expect(await start()).toEqual([])
})

test('a key that protects something is named with its new value, once', async () => {
  const { dir, start } = home({ 'config.yaml': 'guard: { mode: ask, deny: [a] }\nshop: { limit: 5, name: x }\n' })
  await start()
  writeFiles(dir, { 'config.yaml': 'guard: { mode: "off", deny: [b] }\nshop: { name: y }\n' })
  expect(await start()).toEqual([
    'config.yaml was changed outside svc since 2026-01-02T03:04:05Z: guard.deny has another value now, guard.mode is now off, shop.limit is no longer set',
  ])
  expect(await start()).toEqual([])
})

test('another change is said without naming keys', async () => {
  const { dir, start } = home({ 'config.yaml': 'model: { default: a }\n' })
  await start()
  writeFiles(dir, { 'config.yaml': 'model: { default: b }\n' })
  expect(await start()).toEqual(['config.yaml was changed outside svc since 2026-01-02T03:04:05Z'])
})

test.for([
  ['config.yaml', 'config.yaml was removed outside svc since 2026-01-02T03:04:05Z'],
  ['RULES.md', 'RULES.md was removed outside svc since 2026-01-02T03:04:05Z'],
  ['.env', '.env was removed outside svc since 2026-01-02T03:04:05Z'],
] as const)('%s that is gone is a change', async ([name, message]) => {
  const { dir, start } = home({ 'config.yaml': 'guard: { mode: ask }\n', 'RULES.md': 'be kind', '.env': 'A_KEY=1\n' })
  await start()
  rmSync(join(dir, name))
  expect(await start()).toEqual([message])
})

test.for(['config.yml', 'config.json'])('%s that is made beside nothing is a change', async (name) => {
  const { dir, start } = home({})
  await start()
  writeFiles(dir, { [name]: '{ "guard": { "mode": "off" } }' })
  const [message = ''] = (await start()).filter((each) => each.startsWith(name))
  expect(message).toBe(`${name} was made outside svc since 2026-01-02T03:04:05Z: guard.mode is now off`)
})

test('what protects something is said until a person has seen it, also when svc writes in between', async () => {
  const { dir, watched, start } = home({ 'config.yaml': 'guard: { mode: ask }\n' })
  await start()
  writeFiles(dir, { 'config.yaml': 'guard: { mode: "off" }\n' })
  expect(await start(false)).toHaveLength(1)
  writeFiles(dir, { 'config.yaml': 'guard: { mode: "off" }\nmodel: { default: a }\n' })
  acceptChanges(await watched())
  expect(await start(false)).toHaveLength(1)
  expect(await start(true)).toHaveLength(1)
  expect(await start(true)).toEqual([])
})

test('what svc wrote is not reported', async () => {
  const { dir, watched, start } = home({ 'config.yaml': 'guard: { mode: ask }\n' })
  await start()
  writeFiles(dir, { 'config.yaml': 'guard: { mode: "off" }\n', '.env': 'A_KEY=2\n' })
  acceptChanges(await watched())
  expect(await start()).toEqual([])
})

test('a record that something else wrote is reported, and no value is in it', async () => {
  const { dir, start } = home({
    'config.yaml': 'guard: { mode: ask, token: canary-value }\n',
    '.env': 'A_KEY=canary-key\n',
  })
  await start()
  const file = join(dir, 'data/kernel/own-files.json')
  const text = readFileSync(file, 'utf8')
  expect(text).not.toContain('canary')
  for (const forged of [text.replace(/"at":\d+/, '"at":1'), '', '{}']) {
    writeFileSync(file, forged)
    expect(await start()).toEqual([`${file} was changed outside svc; what else was changed cannot be told`])
    expect(await start()).toEqual([])
  }
})

const shown: InlinePlugin = {
  name: 'guard',
  config: 'guard',
  protects: { settings: ['guard'] },
  setup: () => undefined,
}

test('a command says it on standard error, in the log and among the problems; svc config set is no change', async () => {
  const dir = temporaryFolder()
  writeFiles(dir, { 'config.yaml': 'guard: { mode: ask }\n' })
  const session = async () => {
    await using kernel = await testKernel({ home: dir, plugins: ['config', 'config-cli'], with: [shown] })
    const { err } = await kernel.run(['config', 'get', 'model'], { interactive: true })
    const codes = kernel.problems().map(({ code }) => code)
    const set = await kernel.run(['config', 'set', 'model.default', `model-${Math.random()}`])
    expect(set.code, set.err).toBe(0)
    return { err, codes }
  }
  await session()
  expect((await session()).codes).toEqual([])
  writeFiles(dir, { 'config.yaml': 'guard: { mode: "off" }\n' })
  const said = await session()
  expect(said.err).toMatch(/svc: config\.yaml was changed outside svc since \S+: guard\.mode is now off\n/)
  expect(said.codes).toEqual(['CONFIG_CHANGED_OUTSIDE'])
  expect(readFileSync(join(dir, 'logs/svc.log'), 'utf8')).toContain('guard.mode is now off')
  expect((await session()).codes).toEqual([])
})
