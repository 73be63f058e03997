import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineService, SlashCommands, Tools } from 'svc/sdk'
import type { InlinePlugin } from 'svc/sdk/host'
import type { ProcessRole } from 'svc/sdk/storage'
import { conformance, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { manifestProblem } from '../../loader/manifest.ts'

interface Weather {
  readonly source: string
}
const Weather = defineService<Weather>('weather')

/** A plugin that provides the weather in a version, and plugins that were set up in this order. */
function provider(order: string[], version = '1.4.0'): InlinePlugin {
  return {
    name: 'weather',
    version,
    provides: ['weather'],
    setup(ctx) {
      order.push('weather')
      ctx.provide(Weather, () => ({ source: 'station' }))
    },
  }
}

/** A plugin that reports whether it finds the weather. */
function reader(order: string[], words: Partial<InlinePlugin>): InlinePlugin {
  return {
    name: 'reader',
    setup: (ctx) => ctx.onStart(() => void order.push(`reader ${ctx.find(Weather)?.source ?? 'without'}`)),
    ...words,
  }
}

async function open(plugins: readonly InlinePlugin[], role?: ProcessRole) {
  const kernel = await testKernel({ with: plugins, ...(role && { role }) })
  onTestFinished(() => kernel.stop())
  return kernel
}

test('a service that is wanted in a version that fits is found, and its plugin is set up before', async () => {
  for (const wants of [['weather'], { weather: '^1' }, { weather: '>=1.2 <2' }]) {
    const order: string[] = []
    await open([reader(order, { wants }), provider(order)])
    expect(order).toEqual(['weather', 'reader station'])
  }
})

test('a service in a version that does not fit is not there for the plugin, and for others it is', async () => {
  for (const words of [{ wants: { weather: '^2' } }, { uses: { weather: '^2' } }]) {
    const order: string[] = []
    const other = reader(order, { name: 'other', uses: ['weather'] })
    await open([reader(order, words), provider(order), other])
    expect(order).toEqual(['weather', 'reader without', 'reader station'])
  }
})

test('a service that is used is set up before where it is loaded anyway, and needs no plugin', async () => {
  const order: string[] = []
  await open([reader(order, { uses: ['weather', 'unknown'] }), provider(order)])
  expect(order).toEqual(['weather', 'reader station'])
})

test('plugins that want each other are both loaded', async () => {
  const order: string[] = []
  const kernel = await open([
    reader(order, { wants: ['weather'], provides: [] }),
    { ...provider(order), wants: ['news'] },
  ])
  expect(kernel.plugins.list().filter(({ status }) => status === 'started')).toHaveLength(2)
})

test('plugins that require each other are left out with the circle, and the rest runs', async () => {
  const kernel = await open([
    { name: 'one', provides: ['a'], requires: ['b'], setup() {} },
    { name: 'two', provides: ['b'], requires: ['a'], setup() {} },
    { name: 'three', setup() {} },
  ])
  expect(kernel.plugins.info('one')).toMatchObject({
    status: 'left-out',
    reason: expect.stringContaining('requires itself: one > two > one'),
  })
  expect(kernel.plugins.info('three')?.status).toBe('started')
})

test('of two versions of one plugin the first that is found runs, and the other one says why not', async () => {
  const order: string[] = []
  const kernel = await open([provider(order, '1.4.0'), provider(order, '2.0.0')])
  expect(order).toEqual(['weather'])
  const versions = kernel.plugins.list().filter(({ manifest }) => manifest.name === 'weather')
  expect(versions.map(({ manifest, status, reason }) => [manifest.version, status, reason])).toEqual([
    ['1.4.0', 'started', undefined],
    ['2.0.0', 'left-out', expect.stringContaining('a plugin of this name is there already')],
  ])
})

test('a plugin is loaded in processes of its roles only', async () => {
  const gatewayOnly: InlinePlugin = { name: 'beacon', in: ['gateway'], setup() {} }
  expect((await open([gatewayOnly], 'gateway')).plugins.info('beacon')?.status).toBe('started')
  expect((await open([gatewayOnly], 'command')).plugins.info('beacon')).toMatchObject({
    status: 'left-out',
    reason: 'it runs in gateway only; this process is of the role command',
    leftOut: { code: 'role', in: ['gateway'] },
  })
})

test('contributions to a point are added in processes of their roles only', async () => {
  const plugin: InlinePlugin = {
    name: 'beacon',
    in: { 'slash-commands': ['terminal'] },
    setup: (ctx) =>
      void ctx.add(SlashCommands, { name: 'beacon', description: 'x', category: 'Info', run: async () => '' }),
  }
  expect((await open([plugin], 'terminal')).all(SlashCommands).get('beacon')).toBeDefined()
  expect((await open([plugin], 'gateway')).all(SlashCommands).get('beacon')).toBeUndefined()
})

/** A plugin folder whose tool is added after the start, under a name that its manifest does not have. */
function dynamicPlugin(manifest: object): string {
  const root = mkdtempSync(join(tmpdir(), 'svc-words-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const dir = join(root, 'pp-late')
  mkdirSync(dir)
  const basics = { name: 'pp-late', version: '0.1.0', sdk: '^0.2.0', kind: 'tool', description: 'Adds a tool later.' }
  writeFileSync(join(dir, 'plugin.json'), JSON.stringify({ ...basics, ...manifest }))
  writeFileSync(
    join(dir, 'index.ts'),
    `import { definePlugin, defineTool, Tools } from 'svc/sdk'
const echo = (name: string) => defineTool({ name, description: 'Says nothing.', input: { '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0 ? { value } : { issues: [{ message: 'no input' }] }, jsonSchema: { input: () => ({ type: 'object', properties: {}, additionalProperties: false }) } } }, effect: 'pure', toolset: 'echo', run: async () => name })
export default definePlugin({ setup(ctx) {
  ctx.onStart(() => { const end = ctx.add(Tools, echo('echo_early')); ctx.add(Tools, echo('echo_late')); void end() })
} })
`,
  )
  return dir
}

test('tools that come and go are accepted without a report where the manifest says so', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-words-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const dir = dynamicPlugin({ dynamic: ['tools'] })
  cpSync(dir, join(home, 'plugins', 'pp-late'), { recursive: true })
  const kernel = await testKernel({ home, plugins: ['pp-late'], config: { plugins: { enabled: ['pp-late'] } } })
  onTestFinished(() => kernel.stop())
  expect(kernel.problems()).toEqual([])
  expect(
    kernel
      .all(Tools)
      .all()
      .map(({ name }) => name),
  ).toContain('echo_late')
  expect(kernel.plugins.info('pp-late')?.holds).toMatchObject({ contributions: 1 })
})

test('the conformance kit accepts a dynamic tool, and refuses one that the manifest does not announce', async () => {
  const failed = async (manifest: object) => {
    const { cases } = await conformance({ dir: dynamicPlugin(manifest) })
    return cases.filter(({ result }) => result === 'failed').map(({ reason }) => reason)
  }
  expect(await failed({ dynamic: ['tools'] })).toEqual([])
  expect(await failed({ with: ['agent'] })).toEqual([
    expect.stringContaining('tools "echo_early" is not in plugin.json'),
  ])
})

test('a manifest may have fields of other programs, and a word that is not known is refused', () => {
  const basics = { name: 'a', version: '1.0.0', sdk: '*', kind: 'tool', description: 'x' }
  expect(manifestProblem({ ...basics, 'x-market': { price: 0 }, $schema: 'x' })).toBeUndefined()
  expect(manifestProblem({ ...basics, wants: { weather: '^1' }, uses: ['a'], in: ['gateway'] })).toBeUndefined()
  expect(manifestProblem({ ...basics, market: 1 })).toContain('unknown field "market"')
  for (const bad of [
    { wants: 'a' },
    { uses: { a: 1 } },
    { in: ['tui'] },
    { in: { tools: ['tui'] } },
    { dynamic: 'tools' },
  ])
    expect(manifestProblem({ ...basics, ...bad })).toContain(`"${Object.keys(bad)[0]}" must be`)
})
