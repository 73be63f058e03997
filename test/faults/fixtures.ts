/** Plugins that are wrong in every way we could think of, and what must be said of each. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** One faulty plugin. It is called `faulty`; its files lie in `plugins/faulty` of a home. */
export interface Fixture {
  /** Reads after "a plugin that ...". */
  readonly fault: string
  /** Merged into a valid plugin.json; a string replaces the file. */
  readonly manifest?: Record<string, unknown> | string
  /** The body of `setup(ctx)`, or the whole index.ts when it begins with `export` or `import`. */
  readonly code?: string
  readonly config?: unknown
  /** What the reason or a problem must say. */
  readonly said: RegExp
  /** Runs after the files are there. */
  readonly prepare?: (dir: string, home: string) => void
  /** Calls made on the running kernel before problems are looked at. */
  readonly provoke?: 'ping' | 'rewrite' | 'gate' | 'around' | 'service' | 'disable'
}

export const fixtures: readonly Fixture[] = [
  { fault: 'throws at import', code: `throw new Error('on import')\nexport default {}`, said: /import: on import/ },
  { fault: 'has a syntax error', code: 'export default {{{', said: /import: .*faulty/s },
  {
    fault: 'imports a package that is not installed',
    code: `import x from 'no-such-package'\nexport default x`,
    said: /"no-such-package" is not installed/,
  },
  {
    fault: 'imports a name that the SDK does not have',
    code: `import { Nothing } from 'svc/sdk'\nexport default { setup(ctx) { ctx.add(Nothing, {}) } }`,
    said: /Nothing|not a point/,
  },
  {
    fault: 'imports a file that is not there',
    code: `import x from './gone.ts'\nexport default x`,
    said: /import: .*gone/s,
  },
  {
    fault: 'never finishes its import',
    code: 'await new Promise(() => {})\nexport default {}',
    said: /its import took longer/,
  },
  { fault: 'exports nothing', code: 'export const plugin = {}', said: /does not export definePlugin/ },
  { fault: 'exports something else', code: 'export default 42', said: /does not export definePlugin/ },
  {
    fault: 'has no index file',
    code: '',
    prepare: (dir) => writeFileSync(join(dir, 'readme.txt'), 'x'),
    said: /no index.ts or index.js/,
  },

  { fault: 'has a broken plugin.json', manifest: '{ "name": "faulty", ', said: /plugin.json cannot be read/ },
  { fault: 'has an empty plugin.json', manifest: '', said: /plugin.json cannot be read/ },
  { fault: 'has a list as plugin.json', manifest: '[]', said: /must be an object/ },
  { fault: 'has no version', manifest: { version: undefined }, said: /lacks "version"/ },
  { fault: 'has a name with spaces', manifest: { name: 'Bad Name' }, said: /"name" must be lower-case/ },
  { fault: 'has a field nobody knows', manifest: { contribute: {} }, said: /unknown field "contribute"/ },
  { fault: 'requires a text instead of a list', manifest: { requires: 'agent' }, said: /"requires" must be a list/ },
  {
    fault: 'contributes a list instead of an object',
    manifest: { contributes: ['x'] },
    said: /"contributes" must be an object/,
  },
  { fault: 'was written for a newer SDK', manifest: { sdk: '^9.0.0' }, said: /newer SDK \(\^9.0.0\)/ },
  { fault: 'was written for an older SDK', manifest: { sdk: '~0.0.1' }, said: /older SDK/ },
  { fault: 'names no version range', manifest: { sdk: 'latest!' }, said: /not a version range/ },
  {
    fault: 'is called like a built-in one',
    manifest: { name: 'agent' },
    said: /a plugin of this name is there already/,
  },
  { fault: 'can be written by everybody', prepare: (dir) => chmodSync(dir, 0o777), said: /written by everybody/ },
  {
    fault: 'has a file that everybody can write',
    prepare: (dir) => chmodSync(join(dir, 'index.ts'), 0o666),
    said: /index.ts can be written by everybody/,
  },
  { fault: 'lies elsewhere behind a link', prepare: moveBehindLink, said: /leads out of/ },
  {
    fault: 'promises a tool it does not bring',
    manifest: { contributes: { tools: ['hammer'] } },
    said: /"hammer" is promised but missing/,
  },
  {
    fault: 'brings a tool it did not promise',
    code: `ctx.add(Tools, tool('nail'))`,
    said: /"nail" is not in plugin.json/,
  },
  {
    fault: 'promises a service it does not provide',
    manifest: { provides: ['box'] },
    said: /"box" is promised but missing/,
  },
  {
    fault: 'provides a service it did not promise',
    code: `ctx.provide(defineService('box'), () => ({}))`,
    said: /"box" is not in plugin.json/,
  },

  {
    fault: 'is configured wrongly',
    code: withConfig('z.object({ size: z.number() })'),
    config: { size: 'big' },
    said: /plugins.entries.faulty.size is "big"/,
  },
  {
    fault: 'has a config schema that throws',
    code: withConfig(`{ '~standard': { version: 1, vendor: 'x', validate() { throw new Error('odd') } } }`),
    said: /config: odd/,
  },
  {
    fault: 'has a config schema that never answers',
    code: withConfig(`{ '~standard': { version: 1, vendor: 'x', validate: () => new Promise(() => {}) } }`),
    said: /its config took longer/,
  },

  { fault: 'throws in setup', code: `throw new Error('in setup')`, said: /setup: in setup/ },
  { fault: 'throws nothing in setup', code: 'throw undefined', said: /setup: undefined/ },
  { fault: 'rejects in setup', code: `await Promise.reject(new Error('rejected'))`, said: /setup: rejected/ },
  { fault: 'never finishes setup', code: 'await new Promise(() => {})', said: /its setup took longer/ },
  {
    fault: 'adds one tool twice',
    code: `ctx.add(Tools, tool('a'))\nctx.add(Tools, tool('a'))`,
    said: /adds "a" to tools twice/,
  },
  {
    fault: 'takes the name of another tool',
    code: `ctx.add(Tools, tool('healthy'))`,
    said: /adds "healthy" to tools, but healthy already did/,
  },
  {
    fault: 'provides a service that is taken',
    code: `ctx.provide(defineService('health'), () => ({}))`,
    said: /but healthy already does/,
  },
  {
    fault: 'listens to something that is no hook',
    code: `ctx.on({ id: 'x' }, () => {})`,
    said: /not a hook of this SDK/,
  },
  { fault: 'adds to something that is no point', code: 'ctx.add({}, {})', said: /not a point of this SDK/ },
  {
    fault: 'uses a service that its manifest does not name',
    code: `ctx.use(defineService('nowhere'))`,
    said: /"nowhere", which its plugin.json does not name/,
  },
  {
    fault: 'uses a service that nobody provides',
    manifest: { optional: ['nowhere'] },
    code: `ctx.use(defineService('nowhere'))`,
    said: /Nothing provides "nowhere"/,
  },
  {
    fault: 'requires a service that nobody provides',
    manifest: { requires: ['nowhere'] },
    said: /nothing provides "nowhere"/,
  },
  {
    fault: 'requires what it provides itself',
    manifest: { provides: ['box'], requires: ['box'] },
    said: /requires itself: faulty > faulty/,
  },
  {
    fault: 'provides what another provides already',
    manifest: { provides: ['health'] },
    said: /it provides "health", as healthy does/,
  },
  {
    fault: 'owns a config block that another owns',
    manifest: { config: 'health' },
    said: /config block "health", as healthy does/,
  },

  { fault: 'throws at start', code: `ctx.onStart(() => { throw new Error('at start') })`, said: /start: at start/ },
  {
    fault: 'rejects at start',
    code: `ctx.onStart(async () => { throw new Error('refused') })`,
    said: /start: refused/,
  },
  {
    fault: 'never finishes its start',
    code: 'ctx.onStart(() => new Promise(() => {}))',
    said: /its start took longer/,
  },

  {
    fault: 'throws in a listener that is told',
    code: `ctx.on(Ping, () => { throw new Error('ouch') })`,
    provoke: 'ping',
    said: /test:ping: ouch/,
  },
  {
    fault: 'hangs in a listener that is told',
    code: 'ctx.on(Ping, () => new Promise(() => {}))',
    provoke: 'ping',
    said: /listener of test:ping took longer/,
  },
  {
    fault: 'throws while it rewrites',
    code: `ctx.on(Rewrite, () => { throw new Error('ouch') })`,
    provoke: 'rewrite',
    said: /test:rewrite: ouch/,
  },
  {
    fault: 'hangs while it rewrites',
    code: 'ctx.on(Rewrite, () => new Promise(() => {}))',
    provoke: 'rewrite',
    said: /listener of test:rewrite took longer/,
  },
  {
    fault: 'throws in a gate',
    code: `ctx.on(Gate, () => { throw new Error('ouch') })`,
    provoke: 'gate',
    said: /test:gate: ouch/,
  },
  {
    fault: 'hangs in a gate',
    code: 'ctx.on(Gate, () => new Promise(() => {}))',
    provoke: 'gate',
    said: /listener of test:gate took longer/,
  },
  {
    fault: 'throws around a piece of work',
    code: `ctx.on(Around, () => { throw new Error('ouch') })`,
    provoke: 'around',
    said: /test:around: ouch/,
  },
  {
    fault: 'hangs around a piece of work',
    code: 'ctx.on(Around, () => new Promise(() => {}))',
    provoke: 'around',
    said: /listener of test:around took longer/,
  },
  {
    fault: 'cannot make its service',
    manifest: { provides: ['box'] },
    code: `ctx.provide(defineService('box'), () => { throw new Error('no wood') })`,
    provoke: 'service',
    said: /no wood/,
  },

  {
    fault: 'throws in a disposer',
    code: `ctx.defer(() => { throw new Error('stuck') })`,
    provoke: 'disable',
    said: /dispose: stuck/,
  },
  {
    fault: 'rejects in a disposer',
    code: `return () => Promise.reject(new Error('stuck'))`,
    provoke: 'disable',
    said: /dispose: stuck/,
  },
  {
    fault: 'hangs in a disposer',
    code: 'ctx.defer(() => new Promise(() => {}))',
    provoke: 'disable',
    said: /a disposer took longer/,
  },
  {
    fault: 'leaves a timer behind',
    code: `ctx.onStart(() => { setInterval(() => {}, 1e6).unref() })`,
    provoke: 'disable',
    said: /left behind after its end: 1 timers/,
  },
  {
    fault: 'leaves a server behind',
    code: `ctx.onStart(async () => { const net = await import('node:net'); const server = net.createServer(); await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined))); server.unref() })`,
    provoke: 'disable',
    said: /left behind after its end: 1 servers/,
  },
  {
    fault: 'leaves a process behind',
    code: `ctx.onStart(async () => { const { spawn } = await import('node:child_process'); spawn('sleep', ['3'], { stdio: 'ignore' }).unref() })`,
    provoke: 'disable',
    said: /left behind after its end: 1 child processes/,
  },
]

const head = `import { decisionHook, definePlugin, defineTool, notifyHook, defineService, Tools, transformHook, wrapHook } from 'svc/sdk'
import { z } from 'zod'
const limitMs = 100
const Ping = notifyHook('test:ping', { limitMs })
const Rewrite = transformHook('test:rewrite', { limitMs })
const Gate = decisionHook('test:gate', { limitMs, verdict: () => ({ decision: 'deny' }) })
const Around = wrapHook('test:around', { failure: 'skip', limitMs })
const tool = (name: string) => defineTool({ name, description: name, input: z.object({}), effect: 'pure', toolset: 'test', reach: 'nothing', run: async () => name })
void [Ping, Rewrite, Gate, Around, tool, defineService, Tools, definePlugin]
`

function withConfig(schema: string): string {
  return `import { z } from 'zod'\nvoid z\nexport default { config: ${schema}, setup() {} }`
}

function moveBehindLink(dir: string, home: string): void {
  const real = join(home, 'elsewhere')
  mkdirSync(real)
  writeFileSync(join(real, 'plugin.json'), JSON.stringify(valid))
  writeFileSync(join(real, 'index.ts'), 'export default { setup() {} }')
  symlinkSync(real, join(dir, '..', 'linked'))
}

const valid = { name: 'faulty', version: '1.0.0', sdk: '^0.1.0', kind: 'test', description: 'Is wrong.' }

/** Writes the faulty plugin into a home; returns the name to look for. */
export function write(fixture: Fixture, home: string): string {
  const dir = join(home, 'plugins', 'faulty')
  mkdirSync(dir, { recursive: true })
  const { manifest = {}, code = '' } = fixture
  const merged = typeof manifest === 'string' ? manifest : JSON.stringify({ ...valid, ...manifest })
  writeFileSync(join(dir, 'plugin.json'), merged)
  const whole = /^(export|import|throw|await)\b[\s\S]*export/.test(code) || code.startsWith('export')
  const index = whole ? code : `${head}export default definePlugin({ async setup(ctx) {\n${code}\n} })\n`
  if (fixture.prepare === undefined || code) writeFileSync(join(dir, 'index.ts'), index)
  else if (!fixture.fault.includes('index file')) writeFileSync(join(dir, 'index.ts'), index)
  fixture.prepare?.(dir, home)
  return 'faulty'
}
