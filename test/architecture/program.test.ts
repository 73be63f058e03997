import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { root } from '../support/repository.ts'
import { temporaryFolder } from '../support/temporary.ts'

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** An installation that a test may damage, with a home of its own. */
function installation() {
  const dir = temporaryFolder()
  const home = join(dir, 'home')
  const kernel = join(dir, 'dist', 'kernel')
  mkdirSync(home)
  cpSync(join(root, 'dist'), join(dir, 'dist'), { recursive: true, filter: isInstalled })
  cpSync(join(root, 'package.json'), join(dir, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'), 'junction')
  const caches = (place = kernel) =>
    (existsSync(place) ? readdirSync(place) : []).filter((name) => /^program.*cache/.test(name))
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const all = { PATH: process.env['PATH'], SVC_HOME: home, ...env }
    return ended(spawn(process.execPath, args, { cwd: dir, env: all, stdio: ['ignore', 'pipe', 'pipe'] }))
  }
  const list = (env?: Readonly<Record<string, string>>) => run([join(kernel, 'bin.cjs'), 'plugins', 'list'], env)
  return { dir, home, kernel, caches, run, list, compiled: () => join(kernel, caches()[0] ?? 'nothing compiled') }
}

/** Not what processes with options of Node, such as those of the test runner, have left in the shared build. */
function isInstalled(path: string): boolean {
  return !path.endsWith('/types') && (!path.endsWith('.cache') || path.endsWith(`-${process.arch}.cache`))
}

async function ended(child: ReturnType<typeof spawn>): Promise<Ended> {
  let [out, err] = ['', '']
  child.stdout?.on('data', (text) => (out += text))
  child.stderr?.on('data', (text) => (err += text))
  const code = await new Promise<number | null>((done) => child.on('close', done))
  return { code, out, err }
}

const worked = { code: 0, err: '', out: expect.stringContaining('plugin-manager') }

test('the build leaves the program compiled for the Node it ran on, and a start leaves that alone', async () => {
  const { caches, compiled, list } = installation()
  expect(caches()).toEqual([expect.stringContaining(`-${process.versions.v8}-${process.arch}.cache`)])
  const before = statSync(compiled())
  expect(await list()).toMatchObject(worked)
  expect(statSync(compiled()).mtimeMs).toBe(before.mtimeMs)
})

test('the plugins that a question does not need are left compiled, too, so that no run has to keep them at its end', () => {
  const { kernel } = installation()
  const kept = readdirSync(kernel).filter((name) => name.endsWith('.cache'))
  expect(kept.map((name) => name.split('-')[0]).sort()).toEqual(['others', 'program'])
})

test('the compiled program names no folder of the machine it was built on', () => {
  const { compiled } = installation()
  const file = readFileSync(compiled(), 'latin1')
  expect(file).toContain('svc/program.cjs')
  expect(file).not.toContain(root)
})

test('the first run with another Node compiles the program for it', async () => {
  const { caches, compiled, list } = installation()
  const names = caches()
  rmSync(compiled())
  expect(await list()).toMatchObject(worked)
  expect(caches()).toEqual(names)
})

test('a process with options of V8 has compiled code of its own in the home, of the last options only', async () => {
  const { kernel, home, caches, list } = installation()
  const cache = join(home, 'cache')
  const before = { names: readdirSync(kernel), at: statSync(join(kernel, caches()[0] ?? '')).mtimeMs }
  const run = async (megabytes: number) => {
    expect(await list({ NODE_OPTIONS: `--max-old-space-size=${megabytes}` })).toMatchObject(worked)
    const [name = '', ...others] = caches(cache)
    expect(others).toEqual([])
    return { name, made: statSync(join(cache, name)).mtimeMs }
  }
  const first = await run(512)
  expect(await run(512)).toEqual(first)
  expect((await run(513)).name).not.toBe(first.name)
  const after = { names: readdirSync(kernel), at: statSync(join(kernel, caches()[0] ?? '')).mtimeMs }
  expect(after).toEqual(before)
})

test.for([
  ['cut short', (file: string) => truncateSync(file, 100_000)],
  ['empty', (file: string) => truncateSync(file, 0)],
  ['not of V8', (file: string) => writeFileSync(file, 'svc'.repeat(10_000))],
] as const)('compiled code that is %s is refused and made again', async ([, damage]) => {
  const { compiled, list } = installation()
  damage(compiled())
  const { size } = statSync(compiled())
  expect(await list()).toMatchObject(worked)
  expect(statSync(compiled()).size).toBeGreaterThan(Math.max(size, 100_000))
})

test('processes that start at once do not disturb each other, and leave one whole file', async () => {
  const { caches, compiled, list } = installation()
  rmSync(compiled())
  const runs = await Promise.all([list(), list(), list()])
  expect(runs).toMatchObject([worked, worked, worked])
  expect(caches()).toHaveLength(1)
  const made = statSync(compiled()).mtimeMs
  expect(await list()).toMatchObject(worked)
  expect(statSync(compiled()).mtimeMs).toBe(made)
})

test('where the installation may not be written the compiled program is kept in the home, without old ones', async () => {
  const { kernel, home, caches, compiled, list } = installation()
  const cache = join(home, 'cache')
  const [name] = caches()
  rmSync(compiled())
  // A folder in the way stands for a place that refuses: tests may run as root, who may write everywhere.
  mkdirSync(join(kernel, name ?? ''))
  mkdirSync(cache)
  writeFileSync(join(cache, 'program-00000000-1-x64.cache'), 'of an earlier version')
  expect(await list()).toMatchObject(worked)
  expect(caches(cache)).toEqual([name])
  const made = statSync(join(cache, name ?? '')).mtimeMs
  expect(await list()).toMatchObject(worked)
  expect(statSync(join(cache, name ?? '')).mtimeMs).toBe(made)
})

test('where nothing can be kept svc starts all the same', async () => {
  const { kernel, home, caches, compiled, list } = installation()
  const [name = ''] = caches()
  rmSync(compiled())
  mkdirSync(join(kernel, name))
  writeFileSync(join(home, 'cache'), 'in the way')
  expect(await list()).toMatchObject({ ...worked, err: expect.any(String) })
  expect(statSync(join(kernel, name)).isDirectory()).toBe(true)
})

test('one question loads no module of Node for processes and threads', async () => {
  const { dir, kernel, run } = installation()
  const probe = join(dir, 'probe.cjs')
  writeFileSync(probe, `process.on('exit', () => console.log(process.moduleLoadList.join()))`)
  const { code, out } = await run(['-r', probe, join(kernel, 'bin.cjs'), 'chat', '--provider', 'demo', '-q', 'hi'])
  expect(code).toBe(0)
  const loaded = out.split(',').filter((name) => name.startsWith('NativeModule '))
  expect(loaded).toContain('NativeModule crypto')
  expect(loaded.filter((name) => /^NativeModule (child_process|worker_threads|readline)$/.test(name))).toEqual([])
})

test('one question needs hardly any module of Node that was not loaded before V8 got its settings', async () => {
  const { dir, kernel, run } = installation()
  const probe = join(dir, 'probe.cjs')
  const text = `const v8 = require('node:v8'), set = v8.setFlagsFromString
    let before
    v8.setFlagsFromString = (flag) => ((before ??= new Set(process.moduleLoadList)), set(flag))
    process.on('exit', () => console.log(process.moduleLoadList.filter((name) => !before.has(name)).join()))`
  writeFileSync(probe, text)
  const { code, out } = await run(['-r', probe, join(kernel, 'bin.cjs'), 'chat', '--provider', 'demo', '-q', 'hi'])
  expect(code).toBe(0)
  const late = out.split(',').filter((name) => name.startsWith('NativeModule '))
  expect(late.filter((name) => !/fs\/|process|stream/.test(name))).toEqual([])
})

test('the remaining plugins run from their compiled form, which a command leaves alone', async () => {
  const { kernel, run } = installation()
  const list = () => run([join(kernel, 'bin.cjs'), 'sessions', 'list'])
  const find = () => readdirSync(kernel).filter((name) => /^others-.*\.cache$/.test(name))
  const stamp = () => find().map((name) => statSync(join(kernel, name)).mtimeMs)
  expect(find()).toHaveLength(1)
  const before = stamp()
  expect(await list()).toMatchObject({ code: 0 })
  expect(stamp()).toEqual(before)
})

test('the remaining plugins are read once, however many of them a command needs', async () => {
  const { dir, kernel, run } = installation()
  const probe = join(dir, 'probe.cjs')
  const text = `const fs = require('node:fs'), read = fs.readFileSync
    let count = 0
    fs.readFileSync = (file, ...rest) => (String(file).endsWith('others.cjs') && count++, read(file, ...rest))
    process.on('exit', () => console.log('read ' + count))`
  writeFileSync(probe, text)
  const { out } = await run(['-r', probe, join(kernel, 'bin.cjs'), 'config', 'check'])
  expect(out).toContain('read 1')
})

test('what others import is the very program: one copy of every class and token', async () => {
  const { dir, run } = installation()
  const address = (file: string) => JSON.stringify(pathToFileURL(join(dir, 'dist', file)).href)
  const script = `
    const [svc, sdk, testing] = await Promise.all([${['kernel/library.js', 'sdk/index.js', 'sdk/testing.js'].map((file) => `import(${address(file)})`)}])
    const runtime = await svc.openSvc({ plugins: ['sessions'] })
    const kernel = await testing.testKernel({ plugins: ['storage'] })
    const said = [runtime.use(sdk.Sessions) !== undefined, kernel.use(sdk.Clock) !== undefined]
    try { runtime.use(sdk.Agent) } catch (error) { said.push(error instanceof sdk.SvcError) }
    await Promise.all([runtime.stop(), kernel.stop()])
    console.log(JSON.stringify(said))`
  const said = await run(['--input-type=module', '-e', script])
  expect(said).toEqual({ code: 0, err: '', out: '[true,true,true]\n' })
})

test.for(['program.cjs', 'others.cjs'])('%s is text of one byte a character, as its loader reads it', (name) => {
  const script = readFileSync(join(root, 'dist/kernel', name))
  expect(script.findIndex((byte) => byte > 127)).toBe(-1)
})

test('a program that was changed by hand is compiled again', async () => {
  const { kernel, compiled, list } = installation()
  const before = statSync(compiled()).mtimeMs
  const program = join(kernel, 'program.cjs')
  writeFileSync(program, `process.stderr.write("changed\\n");\n${readFileSync(program, 'latin1')}`, 'latin1')
  expect(await list()).toMatchObject({ code: 0, err: 'changed\n' })
  expect(statSync(compiled()).mtimeMs).toBeGreaterThan(before)
})

test('a library that a plugin imports late is whole in the program', async () => {
  const { kernel, run } = installation()
  const { code, err } = await run([join(kernel, 'bin.cjs'), 'chat', '--provider', 'dmeo', '-q', 'hi'])
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('Did you mean demo?') })
})
