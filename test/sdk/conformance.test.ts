import { Tools } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { Storage } from 'svc/sdk/storage'
import { type ConformanceReport, conformance } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createSetup, pluginFolder } from './plugin-folders.ts'

const failed = ({ cases }: ConformanceReport) => cases.filter(({ result }) => result === 'failed')
const skipped = ({ cases }: ConformanceReport) => cases.filter(({ result }) => result === 'skipped')
const ok = ({ cases }: ConformanceReport) => cases.filter(({ result }) => result === 'ok').map(({ name }) => name)

const load = 'it is set up and starts within the time limits'
const truth = 'it registers exactly what plugin.json says'
const reload = 'a reload replaces it while it runs'
const unload = 'nothing is left when it is unloaded'
const again = 'it can be loaded a second time'
const code = 'its code can be imported, and starts nothing by itself'

test('a sound plugin passes from its manifest to its second life, and the report is plain data', async () => {
  const seen: string[] = []
  const report = await conformance({
    dir: pluginFolder({}),
    onStart: (name) => void seen.push(`> ${name}`),
    onEnd: ({ name, result }) => void seen.push(`${result} ${name}`),
  })
  expect(report).toMatchObject({ plugin: 'guest', ok: true })
  expect(ok(report)).toEqual([
    'plugin.json is valid and fits this SDK',
    code,
    'its config has defaults, or says what is missing',
    load,
    truth,
    reload,
    unload,
    again,
  ])
  expect(structuredClone(report)).toEqual(report)
  expect(seen.slice(0, 2)).toEqual([
    '> plugin.json is valid and fits this SDK',
    'ok plugin.json is valid and fits this SDK',
  ])
  expect(seen).toHaveLength(16)
})

test.for<[string, Parameters<typeof pluginFolder>[0], string]>([
  ['is no JSON', { manifest: '{ name' }, 'plugin.json cannot be read'],
  ['lacks a field', { manifest: '{ "name": "guest" }' }, 'lacks "version"'],
  ['is for another SDK', { manifest: { sdk: '^9.0.0' } }, 'written for a newer SDK (^9.0.0)'],
  ['takes the name of a built-in plugin', { manifest: { name: 'storage' } }, 'a plugin of this name is there already'],
])('a manifest that %s is named, and no code runs', async ([, folder, reason]) => {
  const report = await conformance({ dir: pluginFolder({ ...folder, index: 'throw new Error("ran")' }) })
  expect(failed(report)).toMatchObject([{ name: 'plugin.json is valid and fits this SDK' }])
  expect(failed(report)[0]?.reason).toContain(reason)
  expect(report.ok).toBe(false)
})

test('a folder without plugin.json is no plugin', async () => {
  const report = await conformance({ dir: 'test/sdk' })
  expect(failed(report)[0]?.reason).toContain('has no plugin.json')
})

test.for<[string, string, string, string]>([
  ['does not parse', 'export default {', code, 'guest/index.ts:1:16: ERROR: Expected identifier but found end of file'],
  ['throws at import', 'throw new Error("no good")', code, 'no good'],
  ['exports nothing', 'export const a = 1', code, 'has no definePlugin({ setup }) as default export'],
  ['needs a package that is not there', 'import "left-pad"', code, '"left-pad" is not installed'],
  ['throws in setup', createSetup('throw new Error("half way")'), load, 'setup: half way'],
  ['throws at start', createSetup('ctx.onStart(() => { throw new Error("no port") })'), load, 'start: no port'],
  ['takes too long', createSetup('ctx.onStart(() => new Promise(() => {}))'), load, 'its start took longer than 0.3 s'],
  [
    'registers what it did not announce',
    createSetup('ctx.add(PromptParts, { name: "p", tier: "stable", text: () => "" })', ['PromptParts']),
    truth,
    'prompt-parts "p" is not in plugin.json',
  ],
  [
    'cannot run twice',
    createSetup('if (globalThis.ranBefore) throw new Error("once only"); globalThis.ranBefore = true'),
    reload,
    'once only',
  ],
])('code that %s fails where it belongs', async ([, index, name, reason]) => {
  const report = await conformance({ dir: pluginFolder({ index }), limits: { start: 300 } })
  expect(failed(report)[0]?.name).toBe(name)
  expect(failed(report)[0]?.reason).toContain(reason)
})

test.for<[string, string, string, RegExp]>([
  ['a timer', createSetup('setInterval(() => {}, 1000)'), unload, /residue: .*timers/],
  ['a background timer', createSetup('setInterval(() => {}, 1000).unref()'), unload, /residue: .*timers/],
  [
    'a server',
    `import { createServer } from 'node:net'\n${createSetup('ctx.onStart(() => void createServer().listen(0, "127.0.0.1"))')}`,
    unload,
    /residue: .*servers/,
  ],
  [
    'a child process',
    `import { spawn } from 'node:child_process'\n${createSetup('globalThis.guestChild = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"])')}`,
    unload,
    /residue: .*child processes/,
  ],
  ['a cleaner that hangs', createSetup('ctx.defer(() => new Promise(() => {}))'), unload, /dispose: .*took longer/],
  ['a cleaner that fails', createSetup('ctx.defer(() => { throw new Error("stuck") })'), unload, /dispose: stuck/],
])('%s that does not end with its plugin is found', async ([, index, name, reason]) => {
  const report = await conformance({ dir: pluginFolder({ index }) })
  ;(globalThis as { guestChild?: { kill(): void } }).guestChild?.kill()
  expect(failed(report).find((each) => each.name === name)?.reason).toMatch(reason)
})

test('an import that starts something is found: no one could ever stop it', async () => {
  const index = `globalThis.guestTimer = setInterval(() => {}, 1000)\n${createSetup('')}`
  const report = await conformance({ dir: pluginFolder({ index }) })
  clearInterval((globalThis as { guestTimer?: NodeJS.Timeout }).guestTimer)
  expect(failed(report)).toEqual([{ name: code, result: 'failed', reason: 'its import starts: Timeout' }])
})

const needy = `import { definePlugin } from 'svc/sdk'
import { z } from 'zod'
export default definePlugin({ config: z.object({ host: z.string(), port: z.number().default(25) }), setup() {} })`

test('a plugin that needs config says what is missing, and passes when it is given', async () => {
  const dir = pluginFolder({ index: needy })
  const without = await conformance({ dir })
  expect(without.ok).toBe(true)
  expect(skipped(without)[0]).toMatchObject({ name: load, reason: expect.stringMatching(/^it needs config: host: /) })
  const config = { plugins: { entries: { guest: { host: 'localhost' } } } }
  const given = await conformance({ dir, config })
  expect({ failed: failed(given), skipped: skipped(given) }).toEqual({ failed: [], skipped: [] })
})

const tool = (name: string, more = '') => `import { definePlugin, Tools, defineTool } from 'svc/sdk'
import { z } from 'zod'
export default definePlugin({ setup(ctx) { ctx.add(Tools, defineTool({ name: ${JSON.stringify(name)}, description: 'Adds.',
  input: z.object({ a: z.number(), b: z.number() }), effect: 'pure', toolset: 'test', reach: 'nothing',
  run: async ({ a, b }) => String(a + b), ${more} })) } })`

test('tools pass their contract, with the sample calls that are given', async () => {
  const dir = pluginFolder({ manifest: { contributes: { tools: ['add'] } }, index: tool('add') })
  const bare = await conformance({ dir })
  expect(skipped(bare)).toMatchObject([{ name: 'tool add: answers', reason: 'no sample calls were given' }])
  const tried = await conformance({ dir, samples: { add: [{ input: { a: 2, b: 3 }, text: '5' }] } })
  expect(ok(tried)).toContain('tool add: answers {"a":2,"b":3}')
  expect({ failed: failed(tried), skipped: skipped(tried) }).toEqual({ failed: [], skipped: [] })
  const wrong = await conformance({ dir, samples: { add: [{ input: { a: 2, b: 3 }, text: '6' }] } })
  expect(failed(wrong)).toEqual([
    { name: 'tool add: answers {"a":2,"b":3}', result: 'failed', reason: 'it answered: 5' },
  ])
})

test('a provider is tried offline: it must end its streams with a failure', async () => {
  const index = `import { definePlugin, Net } from 'svc/sdk'
import { Providers } from 'svc/sdk/provider'
export default definePlugin({ setup(ctx) { ctx.add(Providers, { name: 'remote', label: 'Remote',
  status: async () => ({ ready: false, detail: 'no key' }), models: async () => [],
  async *stream() { await ctx.use(Net).request({ url: 'https://models.invalid/chat' }); yield { type: 'end', reason: 'stop' } } }) } })`
  const manifest = { kind: 'provider', contributes: { providers: ['remote'] } }
  const report = await conformance({ dir: pluginFolder({ manifest, index }) })
  const broken = failed(report).find(
    ({ name }) => name === 'provider remote: a stream ends once, with `end` or `failed`, and never throws',
  )
  expect(broken?.reason).toContain('https://models.invalid is not reachable')
})

test('a stable part of the prompt that changes is found: it would break the cache of every conversation', async () => {
  const index = createSetup(
    'let n = 0; ctx.add(PromptParts, { name: "clock", tier: "stable", text: () => `It is ${n++}.` })',
    ['PromptParts'],
  )
  const manifest = { contributes: { 'prompt-parts': ['clock'] } }
  const report = await conformance({ dir: pluginFolder({ manifest, index }) })
  expect(failed(report)).toMatchObject([
    { name: 'prompt part clock: gives text, the same each time where it is stable' },
  ])
})

test('commands of the shell explain themselves', async () => {
  const index = createSetup(
    'ctx.add(CliCommands, { name: "wave", description: "Waves.", async run(_input, io) { io.out("o/") } })',
    ['CliCommands'],
  )
  const manifest = { cli: [{ name: 'wave', description: 'Waves.' }] }
  const report = await conformance({ dir: pluginFolder({ manifest, index }) })
  expect(ok(report)).toContain('svc wave: explains itself with --help')
  expect(report.ok).toBe(true)
})

test('a plugin that takes the place of a built-in one is examined in that place', async () => {
  const index = `import { definePlugin } from 'svc/sdk'
import { Storage } from 'svc/sdk/storage'
export default definePlugin({ setup(ctx) { ctx.provide(Storage, () => ({ open() { throw new Error('full') } })) } })`
  const report = await conformance({ dir: pluginFolder({ manifest: { provides: [Storage.id] }, index }) })
  expect({ failed: failed(report), ok: report.ok }).toEqual({ failed: [], ok: true })
})

test('a plugin that a program brings along is examined like any other, without a manifest', async () => {
  const report = await conformance({
    plugin: {
      name: 'brought',
      setup(ctx) {
        ctx.add(Tools, {
          name: 'list',
          description: 'Lists plugins.',
          input: z.object({}),
          effect: 'pure',
          toolset: 'test',
          reach: 'nothing',
          run: async () => String(ctx.use(Plugins).list().length),
        })
      },
    },
    samples: { list: [{ input: {}, text: /^\d+$/ }] },
  })
  expect(failed(report)).toEqual([])
  expect(skipped(report).map(({ name }) => name)).toEqual([
    'plugin.json is valid and fits this SDK',
    code,
    'its config has defaults, or says what is missing',
    truth,
  ])
})

test('a built-in plugin is examined by its name', async () => {
  const report = await conformance({ builtIn: 'storage' })
  expect({ failed: failed(report), plugin: report.plugin }).toEqual({ failed: [], plugin: 'storage' })
})
