import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Tools } from 'svc/sdk'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type NpmRegistry, startNpmRegistry } from '../../../support/npm-registry.ts'
import {
  type Files,
  pluginFiles,
  plugins,
  pluginsJson,
  readConfig,
  running,
  temporaryFolder,
  toolCode,
  writeFolder,
} from './support.ts'

vi.setConfig({ testTimeout: 60_000 })

const quick = ['--yes', '--no-verify']
const greeter = { contributes: { tools: ['greet'] } }
let registry: NpmRegistry

beforeEach(async () => {
  registry = await startNpmRegistry()
  vi.stubEnv('npm_config_registry', registry.url)
  vi.stubEnv('npm_config_cache', temporaryFolder())
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await registry.close()
})

/** A package of the plugin `hello` whose tool answers with its version. */
function release(version: string, manifest: object = {}, more: Files = {}): Files {
  const files = pluginFiles('hello', { ...greeter, version, ...manifest }, toolCode('greet', version))
  const fields = { name: 'svc-plugin-hello', version, type: 'module', main: 'index.js', keywords: ['svc-plugin'] }
  return { 'package.json': JSON.stringify(fields), ...files, ...more }
}

function folderWith(files: Files): string {
  return writeFolder(temporaryFolder(), files)
}

/** Changes by the test are told on standard error. */
async function json<T>(home: string, words: readonly string[]): Promise<T> {
  return JSON.parse((await plugins(home, [...words, '--json'])).out) as T
}

async function readVersion(home: string): Promise<string> {
  return (await json<{ manifest: { version: string } }>(home, ['info', 'hello'])).manifest.version
}

function versionsIn(home: string): string[] {
  const store = join(home, 'npm', 'node_modules', '.versions', 'svc-plugin-hello')
  return readdirSync(store).map((id) => id.replace(/-[0-9a-f]{12}$/, ''))
}

test('a package is updated from its registry and rolled back, with its data and settings', async () => {
  const home = temporaryFolder()
  registry.publish(release('1.0.0'))
  expect(await plugins(home, ['install', 'svc-plugin-hello', ...quick])).toMatchObject({ code: 0, err: '' })
  const data = join(home, 'data', 'hello')
  mkdirSync(join(data, 'deep'), { recursive: true })
  writeFileSync(join(data, 'deep', 'notes.txt'), 'written by 1.0.0')
  writeFileSync(join(home, 'config.yaml'), `${readConfig(home)}  entries:\n    hello: { tone: warm } # mine\n`)
  expect((await plugins(home, ['outdated'])).out).toContain('is the newest')
  registry.publish(release('1.1.0'))
  expect((await plugins(home, ['outdated'])).out).toMatch(/hello {2}1\.0\.0 -> 1\.1\.0 {2}newer/)
  expect(await json(home, ['update', 'hello', '--check'])).toMatchObject([{ status: 'newer', available: '1.1.0' }])
  expect(await plugins(home, ['update', 'hello', ...quick])).toMatchObject({ code: 0 })
  expect(await readVersion(home)).toBe('1.1.0')
  expect(versionsIn(home)).toEqual(['1.0.0', '1.1.0'])
  writeFileSync(join(data, 'deep', 'notes.txt'), 'written by 1.1.0')
  writeFileSync(join(home, 'config.yaml'), readConfig(home).replace('tone: warm', 'tone: cold'))
  const back = await plugins(home, ['rollback', 'hello', '--yes'])
  expect(back).toMatchObject({ code: 0 })
  expect(await readVersion(home)).toBe('1.0.0')
  expect(readFileSync(join(data, 'deep', 'notes.txt'), 'utf8')).toBe('written by 1.0.0')
  expect(readConfig(home)).toContain('hello: { tone: warm } # mine')
  const kept = /kept in (\S+)/.exec(back.out)?.[1] ?? ''
  expect(readFileSync(join(kept, 'data', 'deep', 'notes.txt'), 'utf8')).toBe('written by 1.1.0')
  expect((await plugins(home, ['rollback', 'hello', '--yes'])).err).toContain('PLUGIN_NO_PREVIOUS')
  expect(await json(home, ['info', 'hello'])).toMatchObject({ status: 'available', origin: 'npm' })
})

test('a running process takes the new version, and the old one after a rollback', async () => {
  const home = temporaryFolder()
  registry.publish(release('1.0.0'))
  await plugins(home, ['install', 'svc-plugin-hello', ...quick])
  await using chat = await running(home, { plugins: ['control', 'hello'] })
  const answer = async () =>
    chat
      .all(Tools)
      .get('greet')
      ?.run({}, {} as never)
  expect(await answer()).toBe('1.0.0')
  mkdirSync(join(home, 'data', 'hello'), { recursive: true })
  writeFileSync(join(home, 'data', 'hello', 'x'), '')
  registry.publish(release('1.1.0'))
  expect((await plugins(home, ['update', 'hello', ...quick])).out).toMatch(/chat \(process \d+\): runs it/)
  expect(await answer()).toBe('1.1.0')
  await plugins(home, ['rollback', 'hello', '--yes'])
  expect(await answer()).toBe('1.0.0')
})

test('a version that does not start in a running process is taken back by itself', async () => {
  const home = temporaryFolder()
  registry.publish(release('1.0.0'))
  await plugins(home, ['install', 'svc-plugin-hello', ...quick])
  mkdirSync(join(home, 'data', 'hello'), { recursive: true })
  writeFileSync(join(home, 'data', 'hello', 'x'), 'kept')
  await using chat = await running(home, { plugins: ['control', 'hello'] })
  registry.publish({ ...release('1.2.0'), 'index.js': 'export default { setup() { throw new Error("no way") } }\n' })
  const { code, err } = await plugins(home, ['update', 'hello', ...quick])
  expect({ code, err }).toMatchObject({
    code: 1,
    err: expect.stringMatching(/no way.* 1\.0\.0 is active again.*PLUGIN_UPDATE_FAILED/),
  })
  expect(await readVersion(home)).toBe('1.0.0')
  expect(
    await chat
      .all(Tools)
      .get('greet')
      ?.run({}, {} as never),
  ).toBe('1.0.0')
  expect(readFileSync(join(home, 'data', 'hello', 'x'), 'utf8')).toBe('kept')
  expect(versionsIn(home)).toEqual(['1.0.0'])
})

test('a version that does not keep the contracts is refused, and the old one stays', async () => {
  const home = temporaryFolder()
  registry.publish(release('1.0.0'))
  await plugins(home, ['install', 'svc-plugin-hello', ...quick])
  registry.publish({ ...release('1.2.0'), 'index.js': 'export default { setup() { throw new Error("no way") } }\n' })
  const { code, err } = await plugins(home, ['update', 'hello', '--yes'])
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('PLUGIN_VERIFY_FAILED') })
  expect(await readVersion(home)).toBe('1.0.0')
  expect(versionsIn(home)).toEqual(['1.0.0'])
})

test('what changes is shown, a no changes nothing, and without a terminal nothing is updated unasked', async () => {
  const home = temporaryFolder()
  registry.publish(release('1.0.0'))
  await plugins(home, ['install', 'svc-plugin-hello', ...quick])
  const powers = { guards: ['agent:before-tool'], env: [{ name: 'HELLO_KEY', description: 'k', secret: true }] }
  registry.publish(release('1.1.0', powers, { 'more.js': 'fetch("https://example.com")\n' }))
  const words = ['update', 'hello', '--no-verify']
  const { code, out } = await plugins(home, words, { interactive: true, answers: ['no'] })
  expect(code).toBe(1)
  expect(out).toContain('hello 1.0.0 -> 1.1.0')
  expect(out).toContain('new: guards, so that nothing passes without it: agent:before-tool')
  expect(out).toContain('new: reads environment variables: HELLO_KEY (secret)')
  expect(out).toContain('uses the network: more.js:1')
  expect(out).toMatch(/added: more\.js\n.*\n {4}\+fetch\("/)
  expect((await plugins(home, words)).err).toContain('add --yes')
  expect((await plugins(home, [...words, '--json'])).err).toContain('add --yes')
  expect(await readVersion(home)).toBe('1.0.0')
})

test('all plugins are updated at once; one that fails does not stop the others', async () => {
  const home = temporaryFolder()
  const sources = ['one', 'two', 'three'].map((name) => folderWith(pluginFiles(name)))
  for (const source of sources) await plugins(home, ['install', source, ...quick])
  expect((await plugins(home, ['update', ...quick])).out).toContain('No installed plugin has a newer version')
  writeFolder(sources[0] as string, pluginFiles('one', { version: '2.0.0', sdk: '>=9' }))
  writeFolder(sources[2] as string, pluginFiles('three', { version: '2.0.0' }))
  const { code, out, err } = await plugins(home, ['update', ...quick])
  expect(code).toBe(1)
  expect(err).toMatch(/one was not updated: It cannot be installed/)
  expect(out).toContain('three is 2.0.0 now')
  expect((await pluginsJson<{ manifest: object }>(home, ['info', 'one'])).manifest).toMatchObject({ version: '1.0.0' })
})

test('an older version is installed on demand, with a warning about its data', async () => {
  const home = temporaryFolder()
  registry.publish(release('1.0.0'))
  registry.publish(release('2.0.0'))
  await plugins(home, ['install', 'svc-plugin-hello@^2', ...quick])
  const words = ['update', 'hello', '--from', 'svc-plugin-hello@1.0.0', '--no-verify']
  const { code, out } = await plugins(home, words, { interactive: true, answers: ['yes'] })
  expect(code).toBe(0)
  expect(out).toContain('1.0.0 is older. It may not be able to read what 2.0.0 wrote')
  expect(await readVersion(home)).toBe('1.0.0')
  expect(await pluginsJson(home, ['outdated'])).toMatchObject([{ status: 'pinned', available: '2.0.0' }])
  expect((await plugins(home, ['update', 'hello', ...quick])).out).toContain('hello 1.0.0 is an exact version')
})

test('another plugin, another kind of source, and an unknown source are refused with what to do', async () => {
  const home = temporaryFolder()
  registry.publish(release('1.0.0'))
  await plugins(home, ['install', 'svc-plugin-hello', ...quick])
  const from = (files: Files) => plugins(home, ['update', 'hello', '--from', folderWith(files), ...quick])
  expect((await from(pluginFiles('other'))).err).toContain('That is the plugin "other", not "hello"')
  expect((await from(pluginFiles('hello', { version: '3.0.0' }))).err).toContain('svc plugins remove hello')
  writeFolder(join(home, 'plugins', 'mine'), pluginFiles('mine'))
  expect((await plugins(home, ['update', 'mine', ...quick])).err).toContain('PLUGIN_SOURCE_UNKNOWN')
  expect((await plugins(home, ['update', 'chat', ...quick])).err).toContain('PLUGIN_BUILT_IN')
})

test('a folder that the user put there becomes a version when it is updated, and a rollback brings it back', async () => {
  const home = temporaryFolder()
  writeFolder(join(home, 'plugins', 'mine'), pluginFiles('mine'))
  writeFileSync(join(home, 'config.yaml'), 'plugins:\n  enabled: [mine]\n')
  expect((await plugins(home, ['list'])).err).toContain('counts as agreed to')
  const source = folderWith(pluginFiles('mine', { version: '2.0.0' }))
  expect(await plugins(home, ['update', 'mine', '--from', source, ...quick])).toMatchObject({ code: 0 })
  expect(lstatSync(join(home, 'plugins', 'mine')).isSymbolicLink()).toBe(true)
  expect(await pluginsJson(home, ['info', 'mine'])).toMatchObject({
    manifest: { version: '2.0.0' },
    status: 'available',
  })
  await plugins(home, ['rollback', 'mine', '--yes'])
  expect(await pluginsJson(home, ['info', 'mine'])).toMatchObject({ manifest: { version: '1.0.0' } })
})

test('three versions are kept, and a version that was left returns by an update', async () => {
  const home = temporaryFolder()
  registry.publish(release('1.0.0'))
  await plugins(home, ['install', 'svc-plugin-hello', ...quick])
  for (const version of ['1.1.0', '1.2.0', '1.3.0']) {
    registry.publish(release(version))
    await plugins(home, ['update', 'hello', ...quick])
  }
  expect(versionsIn(home)).toEqual(['1.1.0', '1.2.0', '1.3.0'])
  await plugins(home, ['rollback', 'hello', '--yes'])
  await plugins(home, ['rollback', 'hello', '--yes'])
  expect(await readVersion(home)).toBe('1.1.0')
  await plugins(home, ['update', 'hello', ...quick])
  expect(await readVersion(home)).toBe('1.3.0')
  const consents = readFileSync(join(home, 'consents', 'consents.json'), 'utf8')
  expect(consents).not.toContain('1.0.0-')
})

test('each version has its own packages', async () => {
  const home = temporaryFolder()
  const library = (version: string): Files => ({
    'package.json': JSON.stringify({ name: 'answers', version, main: 'index.js' }),
    'index.js': `module.exports = 'answers ${version}'\n`,
  })
  const needing = (version: string, range: string): Files => ({
    ...release(version),
    'package.json': JSON.stringify({
      ...(JSON.parse(release(version)['package.json'] ?? '') as object),
      dependencies: { answers: range },
    }),
  })
  for (const version of ['1.0.0', '2.0.0']) registry.publish(library(version))
  registry.publish(needing('1.0.0', '^1'))
  const { out } = await plugins(home, ['install', 'svc-plugin-hello', ...quick])
  expect(out).toContain('brings packages: answers')
  registry.publish(needing('1.1.0', '^2'))
  await plugins(home, ['update', 'hello', ...quick])
  const link = join(home, 'npm', 'node_modules', 'svc-plugin-hello')
  const readLibrary = () => readFileSync(join(link, 'node_modules', 'answers', 'index.js'), 'utf8')
  expect(readLibrary()).toContain('answers 2.0.0')
  await plugins(home, ['rollback', 'hello', '--yes'])
  expect(readLibrary()).toContain('answers 1.0.0')
})

test('an unreachable registry is said, and nothing is updated', async () => {
  const home = temporaryFolder()
  registry.publish(release('1.0.0'))
  await plugins(home, ['install', 'svc-plugin-hello', ...quick])
  const gone = await startNpmRegistry()
  await gone.close()
  vi.stubEnv('npm_config_registry', gone.url)
  vi.stubEnv('npm_config_fetch_retries', '0')
  expect((await plugins(home, ['outdated'])).out).toMatch(/hello.*unknown.*npm view failed/)
  expect(await plugins(home, ['update', 'hello', ...quick])).toMatchObject({ code: 1 })
  expect(existsSync(join(home, 'data', 'plugin-manager', 'staging'))).toBe(false)
})
