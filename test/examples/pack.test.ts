import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Said } from '../support/packed.ts'
import { pluginFolder } from '../support/repository.ts'
import { type Outside, outsideProject, repository } from './outside.ts'

const INSTALL_MS = 240_000
const RUN_MS = 300_000

let outside: Outside

beforeAll(async () => {
  outside = await outsideProject()
}, INSTALL_MS)

afterAll(() => outside?.remove())

/** Runs the installed program. */
function svc(args: readonly string[], home: string, cwd: string): Promise<Said> {
  const program = join(outside.dir, 'node_modules/svc/dist/kernel/bin.cjs')
  return outside.node([program, ...args], { cwd, env: { SVC_HOME: home } })
}

/** Prints the report of a folder, with nothing but the installed package. */
const verify = `
import { conformance } from 'svc/sdk/testing'
const report = await conformance(JSON.parse(process.argv[1]))
console.log(JSON.stringify(report))
`

test('the examples type-check against the packed declarations, and are built', { timeout: RUN_MS }, async () => {
  const built = await outside.node(['node_modules/typescript/bin/tsc', '-p', '.'])
  expect(built).toEqual({ code: 0, out: '', err: '' })
})

test.for([
  ['hello-plugin', {}],
  ['platform-plugin', { platforms: { tcp: { port: 0 } } }],
] as const)('%s conforms in plain Node, as TypeScript and built', { timeout: RUN_MS }, async ([name, config]) => {
  const built = join(outside.dir, 'built', name)
  cpSync(join(outside.dir, name, 'plugin.json'), join(built, 'plugin.json'))
  for (const dir of [join(outside.dir, name), built]) {
    const said = await outside.node(['--input-type=module', '-e', verify, JSON.stringify({ dir, config })])
    expect(said).toMatchObject({ code: 0, err: '' })
    const { plugin, ok, cases } = JSON.parse(said.out)
    expect({ plugin, ok, failed: cases.filter((each: { result: string }) => each.result === 'failed') }).toEqual({
      plugin: name,
      ok: true,
      failed: [],
    })
  }
})

test('the rooms of the kit work in plain Node and do not load the program', { timeout: RUN_MS }, async () => {
  const script = `
    import { createRequire } from 'node:module'
    import { backoff } from 'svc/sdk/kit/async'
    import { readLines } from 'svc/sdk/kit/net'
    import { ownProcess, tryFileLock } from 'svc/sdk/kit/process'
    import { safeLine } from 'svc/sdk/kit/terminal'
    import { writeAtomically } from 'svc/sdk/kit/files'
    await writeAtomically('kit.txt', 'kept')
    const lock = tryFileLock('kit.lock', { hex: () => 'a' }).lock
    lock.release()
    const loaded = Object.keys(createRequire(import.meta.url).cache).filter((file) => file.includes('program'))
    console.log(JSON.stringify([backoff({ firstMs: 1, maxMs: 9 }, 3), ownProcess().pid > 0, safeLine('a\\u001bb'), typeof readLines, loaded]))`
  const said = await outside.node(['--input-type=module', '-e', script])
  expect(said).toMatchObject({ code: 0, err: '' })
  expect(JSON.parse(said.out)).toEqual([4, true, 'a b', 'function', []])
  expect(readFileSync(join(outside.dir, 'kit.txt'), 'utf8')).toBe('kept')
})

test('the tests that the examples bring along pass there', { timeout: RUN_MS }, async () => {
  const said = await outside.node(['node_modules/vitest/vitest.mjs', 'run', '--exclude', 'built/**', '--reporter=json'])
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(said.out.slice(said.out.indexOf('{')))
  const examples = join(repository, 'examples')
  const tested = readdirSync(examples).filter((name) => existsSync(join(examples, name, 'index.test.ts')))
  const failedFiles = testResults.filter(({ status }: { status: string }) => status !== 'passed')
  expect({ failed: numFailedTests, failedFiles }, said.err).toEqual({ failed: 0, failedFiles: [] })
  expect(testResults).toHaveLength(tested.length)
  expect(numPassedTests).toBeGreaterThan(30)
})

test('the example embed runs as its own program', { timeout: RUN_MS }, async () => {
  const cwd = join(outside.dir, 'letters')
  mkdirSync(cwd, { recursive: true })
  writeFileSync(join(cwd, 'letter.txt'), 'Dear Ada')
  const said = await outside.node([join(outside.dir, 'built/embed/index.js'), 'list files'], { cwd })
  const events = said.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events.find(({ type }) => type === 'message.complete').text).toContain('letter.txt')
  expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'completed' })
})

test('what is packed reads .env and a config.yml, though its libraries are bundled', { timeout: RUN_MS }, async () => {
  const home = join(outside.dir, 'home-with-env')
  mkdirSync(home)
  writeFileSync(join(home, '.env'), 'GREETING=good morning\n')
  writeFileSync(join(home, 'config.yml'), 'plugins:\n  entries:\n    guest:\n      text: ${GREETING}\n')
  const said = await svc(['config', 'get', 'plugins.entries.guest.text'], home, home)
  expect(said).toMatchObject({ code: 0, err: '' })
  expect(said.out).not.toContain('${GREETING}')
})

test('a foreign copy of a built-in plugin does its work when that is disabled', { timeout: RUN_MS }, async () => {
  const home = join(outside.dir, 'home-of-a-copy')
  const copy = join(home, 'plugins', 'my-demo')
  cpSync(join(repository, pluginFolder('provider-demo')), copy, { recursive: true })
  const manifest = JSON.parse(readFileSync(join(copy, 'plugin.json'), 'utf8'))
  writeFileSync(join(copy, 'plugin.json'), JSON.stringify({ ...manifest, name: 'my-demo' }))
  const cwd = join(outside.dir, 'letters')
  const ask = async (enabled: string) => {
    const plugins = `plugins:\n  disabled: [provider-demo]\n  enabled: [${enabled}]\n`
    writeFileSync(join(home, 'config.yaml'), `${plugins}model:\n  provider: demo\n  default: demo\n`)
    return svc(['chat', '-q', 'list files'], home, cwd)
  }
  const without = await ask('')
  expect(without.code).toBe(1)
  expect(without.err).toContain('no model provider "demo"')
  const withCopy = await ask('my-demo')
  expect(withCopy).toMatchObject({ code: 0, out: expect.stringContaining('letter.txt') })
})
