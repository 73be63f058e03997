import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Seal } from '../../home/seal.ts'
import { type Content, readContent } from '../../loader/plugin-content.ts'
import { type PackDeps, PluginPack } from '../../loader/user-plugin-pack.ts'
import { packFiles } from '../../loader/user-plugin-script.ts'
import { type Booted, boot } from '../../program/boot.ts'
import { readStack } from '../../program/stacks.ts'
import { agreeTo } from '../support/consent.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

const manifest = { name: 'mine', version: '1.0.0', sdk: '^0.2.0', kind: 'tool', description: 'x' }

/** A plugin that says where it runs: in a file of its own, or in the script of all plugins of the home. */
const code = (word: string, more = '') => `import { definePlugin } from 'svc/sdk'
${more}
export default definePlugin({
  setup() {
    const stack = new Error().stack ?? ''
    globalThis.ran = { word: '${word}', isPacked: stack.includes('svc/plugins.cjs') }
  },
})
`

function home(source: string, files: Readonly<Record<string, unknown>> = {}): string {
  const dir = temporaryFolder()
  writeFiles(dir, { 'plugins/mine/plugin.json': manifest, 'plugins/mine/index.ts': source })
  writeFiles(join(dir, 'plugins/mine'), files)
  agreeTo(dir, 'mine')
  return dir
}

interface Start {
  readonly kernel: Booted['kernel']
  /** What the plugin left in the global object. */
  readonly ran: { readonly word: string; readonly isPacked: boolean } | undefined
  /** What was said before its code ran: whether what it starts is followed. */
  readonly followed: readonly boolean[]
  stop(): Promise<void>
}

/** One start of a process with the plugin. */
async function start(dir: string, onTimer: PackDeps['onTimer'] = () => {}): Promise<Start> {
  Reflect.deleteProperty(globalThis, 'ran')
  const followed: boolean[] = []
  const booted = await boot({
    env: {},
    cwd: dir,
    home: dir,
    config: { plugins: { enabled: ['mine'] } },
    beforeForeign: (isFollowed) => void followed.push(isFollowed),
    onTimer,
  })
  await booted.kernel.load(['mine'])
  let isOver = false
  const stop = async () => {
    if (!isOver) await booted.stop()
    isOver = true
  }
  onTestFinished(stop)
  return { kernel: booted.kernel, ran: Reflect.get(globalThis, 'ran'), followed, stop }
}

/** What the plugin left when it was started once more. */
async function startAgain(dir: string): Promise<Start> {
  const again = await start(dir)
  await again.stop()
  return again
}

const packFile = (dir: string) => join(dir, 'cache/plugins/plugins.pack')

test('from its second start on a plugin runs in the script of its home, in the third from its compiled form', async () => {
  const dir = home(code('one'))
  expect((await startAgain(dir)).ran).toEqual({ word: 'one', isPacked: false })
  const first = readFileSync(packFile(dir))
  expect(first.includes('"compiled"')).toBe(false)
  expect((await startAgain(dir)).ran).toEqual({ word: 'one', isPacked: true })
  const second = readFileSync(packFile(dir))
  expect(second.includes('"compiled"')).toBe(true)
  expect((await startAgain(dir)).ran).toEqual({ word: 'one', isPacked: true })
  expect(readFileSync(packFile(dir)).equals(second)).toBe(true)
})

test('what runs is what was agreed to: changed code is refused, and what was packed of the code before is not run for it', async () => {
  const dir = home(code('one'))
  await startAgain(dir)
  writeFiles(dir, { 'plugins/mine/index.ts': code('two') })
  const refused = await startAgain(dir)
  expect(refused.ran).toBeUndefined()
  expect(refused.kernel.plugins.info('mine')?.reason).toContain('changed since you agreed')
  agreeTo(dir, 'mine')
  expect((await startAgain(dir)).ran).toEqual({ word: 'two', isPacked: false })
  expect((await startAgain(dir)).ran).toEqual({ word: 'two', isPacked: true })
})

test('a file that is no source counts too: code may read it', async () => {
  const dir = home(code('one'), { 'data.txt': 'a' })
  await startAgain(dir)
  writeFiles(dir, { 'plugins/mine/data.txt': 'b' })
  expect((await startAgain(dir)).ran).toBeUndefined()
})

/** The script of the only bundle of a home. */
function scriptFile(dir: string): string {
  const cache = join(dir, 'cache/plugins')
  const folder = readdirSync(cache).find((name) => name.startsWith('mine-') && !name.endsWith('.mark')) ?? ''
  return join(cache, folder, packFiles.script)
}

test('what is packed at the end of a run is what its beginning checked, whatever is in the cache by then', async () => {
  const dir = home(code('one'))
  const first = await start(dir)
  const script = readFileSync(scriptFile(dir), 'utf8')
  writeFileSync(scriptFile(dir), script.replace('one', 'bad'))
  await first.stop()
  writeFileSync(scriptFile(dir), script)
  expect((await startAgain(dir)).ran).toEqual({ word: 'one', isPacked: true })
})

test.for([
  [
    'a word of the code',
    (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace('word: "one"', 'word: "bad"'), 'latin1'),
  ],
  ['the compiled form', (bytes: Buffer) => bytes.fill(bytes.at(-1) === 0 ? 1 : 0, bytes.length - 1)],
  [
    'the facts',
    (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace('"isQuiet":true', '"isQuiet":null'), 'latin1'),
  ],
  ['everything', () => Buffer.from('{"mark":"00","entries":[],"size":0}\n')],
  ['its end', (bytes: Buffer) => bytes.subarray(0, bytes.length - 100)],
  ['all of it, to nothing', () => Buffer.of()],
] as const)('a pack in which someone changed %s is not run, is reported, and is made again', async ([, change]) => {
  const dir = home(code('one'))
  await startAgain(dir)
  await startAgain(dir)
  const before = readFileSync(packFile(dir))
  const changed = change(Buffer.from(before))
  expect(changed.equals(before)).toBe(false)
  writeFileSync(packFile(dir), changed)
  const run = await startAgain(dir)
  expect(run.ran).toEqual({ word: 'one', isPacked: false })
  expect(run.kernel.plugins.problems()).toMatchObject([{ code: 'PLUGIN_BUNDLE_CHANGED' }])
  expect((await startAgain(dir)).ran).toEqual({ word: 'one', isPacked: true })
})

test('the pack of one home is none for another', async () => {
  const [mine, other] = [home(code('one')), home(code('one'))]
  await startAgain(mine)
  await startAgain(other)
  writeFileSync(packFile(other), readFileSync(packFile(mine)))
  const run = await startAgain(other)
  expect([run.ran?.isPacked, run.kernel.plugins.problems()[0]?.code]).toEqual([false, 'PLUGIN_BUNDLE_CHANGED'])
})

test.for([
  [
    'uses what opens nothing',
    `import { join } from 'node:path'\nimport { z } from 'zod'\nexport const s = z.object({ a: z.string() })\nexport const j = join('a', 'b')`,
    true,
    false,
  ],
  ['can open a socket', `import { connect } from 'node:net'\nexport const c = connect`, true, true],
  ['waits while it is imported', `export const a = await Promise.resolve(1)`, false, true],
  ['brings a package', `import 'a-package'`, false, true],
  ['changes zod', `import { z } from 'zod'\nz.config({})`, false, true],
  ['has a schema in itself', `import { z } from 'zod'\nexport const s = z.lazy(() => z.string())`, false, true],
  [
    'has a schema in itself by a getter',
    `import { z } from 'zod'\nexport const s = z.object({ get a() { return z.string() } })`,
    false,
    true,
  ],
  ['gives zod away', `import { z } from 'zod'\nexport const all = [z]`, false, true],
  ['needs a room of the kit', `import { delay } from 'svc/sdk/kit/async'\nexport const d = delay`, false, true],
] as const)('a plugin that %s', async ([, more, isPacked, isFollowed]) => {
  const source = more.includes('kit/async') ? code('one', more.replaceAll('delay', 'Repeater')) : code('one', more)
  const dir = home(source, {
    'node_modules/a-package/index.js': '',
    'node_modules/a-package/package.json': '{"main":"index.js"}',
  })
  await startAgain(dir)
  const run = await startAgain(dir)
  expect([run.ran, run.followed]).toEqual([{ word: 'one', isPacked }, [isFollowed]])
})

test('stacks name lines of the files of the plugin', async () => {
  const dir = home(code('one', `export const fail = (globalThis as any).failMine = () => new Error('here')`))
  await startAgain(dir)
  const run = await start(dir)
  expect(run.ran?.isPacked).toBe(true)
  const error = (Reflect.get(globalThis, 'failMine') as () => Error)()
  expect(error.stack).toContain('svc/plugins.cjs')
  expect(readStack(error)).toContain(`${join(dir, 'plugins/mine/index.ts')}:2:`)
})

test('a timer keeps the name of its plugin, also where the caller is not known any more', async () => {
  const more = `export const later = (globalThis as any).laterMine = async () => {
  await null
  clearTimeout(setTimeout(() => {}, 1e6))
}`
  const dir = home(code('one', more))
  await startAgain(dir)
  const timers: string[] = []
  await start(dir, (owner) => void timers.push(owner.name))
  await (Reflect.get(globalThis, 'laterMine') as () => Promise<void>)()
  expect(timers).toEqual(['mine'])
})

test('a plugin that is gone leaves the pack with the next one that comes', async () => {
  const dir = home(code('one'))
  await startAgain(dir)
  writeFiles(dir, { 'plugins/mine/index.ts': code('two') })
  agreeTo(dir, 'mine')
  await startAgain(dir)
  const pack = readFileSync(packFile(dir), 'utf8')
  expect([pack.includes('"one"'), pack.includes('"two"')]).toEqual([false, true])
  expect(readdirSync(join(dir, 'cache/plugins')).filter((name) => name.includes('pack.'))).toEqual([])
})

test('a plugin without a script has no facts beside its bundle', async () => {
  const bundled = (dir: string) => {
    const cache = join(dir, 'cache/plugins')
    const [bundle = ''] = readdirSync(cache).filter((name) => /^mine-[0-9a-f]{16}$/.test(name))
    return readdirSync(join(cache, bundle)).includes(packFiles.facts)
  }
  const [plain, waiting] = [home(code('one')), home(code('one', 'export const a = await Promise.resolve(1)'))]
  for (const dir of [plain, waiting]) await startAgain(dir)
  expect([bundled(plain), bundled(waiting)]).toEqual([true, false])
})

/** A bundle of a home offered to a pack of its own, as the import of a plugin does, and whether the next run finds it there. */
async function offer(
  dir: string,
  change: { readonly content?: Content; readonly script?: (text: string) => string } = {},
) {
  const { kernel, stop } = await start(dir)
  const found = kernel.catalogue.found.find(({ manifest }) => manifest.name === 'mine')
  if (!found) throw new Error('the plugin is not there')
  await stop()
  const content = change.content ?? readContent(found.dir)
  if (change.script) writeFileSync(scriptFile(dir), change.script(readFileSync(scriptFile(dir), 'utf8')))
  const deps: PackDeps = {
    cache: temporaryFolder(),
    seal: new Seal(dir),
    onTampered: () => {},
    addStackReader: () => () => {},
    withBriefSettings: (work) => work(),
  }
  const pack = new PluginPack(deps)
  pack.add(found, content, dirname(scriptFile(dir)))
  pack.keep()
  return (await new PluginPack(deps).find(found, content)) !== undefined
}

test('a bundle of other sources than those that were agreed to is not packed', async () => {
  expect(await offer(home(code('one')))).toBe(true)
  const dir = home(code('one'))
  const { files, hash } = readContent(join(dir, 'plugins/mine'))
  expect(await offer(dir, { content: { hash, files: new Map([...files, ['index.ts', '0'.repeat(64)]]) } })).toBe(false)
})

test('a script with a mistake is not packed: it would be one in the script of all plugins', async () => {
  expect(await offer(home(code('one')), { script: (text) => `${text}\nlet let = 1` })).toBe(false)
})
