import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
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

// npm is the real one, kept off the network and away from the user's cache.
beforeEach(() => {
  vi.stubEnv('npm_config_offline', 'true')
  vi.stubEnv('npm_config_cache', temporaryFolder())
})

afterEach(() => vi.unstubAllEnvs())

const greeter = { contributes: { tools: ['greet'] } }

/** A tarball as npm packs one: everything below `package/`. */
function pack(name: string, files: Files, fields: object = { keywords: ['svc-plugin'] }): string {
  const folder = temporaryFolder()
  const basics = { name: `svc-plugin-${name}`, version: '1.0.0', type: 'module', main: 'index.js' }
  writeFolder(join(folder, 'package'), { 'package.json': JSON.stringify({ ...basics, ...fields }), ...files })
  execFileSync('tar', ['-czf', `${name}-1.0.0.tgz`, 'package'], { cwd: folder })
  return join(folder, `${name}-1.0.0.tgz`)
}

function install(home: string, spec: string, ...more: string[]) {
  return plugins(home, ['install', spec, '--yes', '--no-verify', ...more])
}

test('a tarball is installed by npm, used by a running process, and removed to the trash', async () => {
  const home = temporaryFolder()
  const tarball = pack('hello', pluginFiles('hello', greeter, toolCode('greet', 'hi')))
  await using chat = await running(home)
  await chat.follow()
  expect(await install(home, tarball)).toMatchObject({ code: 0, err: '' })
  expect(chat.plugins.info('hello')).toMatchObject({ origin: 'npm', status: 'started' })
  const info = await pluginsJson<{ dir: string }>(home, ['info', 'hello'])
  expect(info.dir).toBe(join(home, 'npm', 'node_modules', 'svc-plugin-hello'))
  const removed = await pluginsJson<{ trash: string }>(home, ['remove', 'hello', '--yes'])
  expect(chat.plugins.info('hello')?.status).not.toBe('started')
  expect(existsSync(info.dir)).toBe(false)
  expect(readdirSync(removed.trash).sort()).toEqual(['index.js', 'package.json', 'plugin.json'])
  expect(readConfig(home)).not.toContain('hello')
  expect(await install(home, removed.trash)).toMatchObject({ code: 0 })
  expect(await pluginsJson(home, ['info', 'hello'])).toMatchObject({ origin: 'home' })
})

test('several packages live side by side, and one survives the removal of the other', async () => {
  const home = temporaryFolder()
  const first = pack('one', pluginFiles('one'))
  expect(await install(home, first)).toMatchObject({ code: 0 })
  renameSync(first, `${first}.gone`)
  expect(await install(home, pack('two', pluginFiles('two')))).toMatchObject({ code: 0 })
  expect(await plugins(home, ['remove', 'one', '--yes'])).toMatchObject({ code: 0 })
  expect(await pluginsJson(home, ['info', 'two'])).toMatchObject({ origin: 'npm', status: 'available' })
  expect(Object.keys(JSON.parse(readFileSync(join(home, 'npm', 'package.json'), 'utf8')).dependencies)).toEqual([
    'svc-plugin-two',
  ])
})

test('a package without the keyword is no plugin, and npm leaves nothing of it', async () => {
  const home = temporaryFolder()
  const { code, err } = await install(home, pack('hello', pluginFiles('hello'), {}))
  expect(code).toBe(1)
  expect(err).toContain('lacks the keyword "svc-plugin"')
  expect(existsSync(join(home, 'npm'))).toBe(false)
})

test('install scripts of a package are not run', async () => {
  const home = temporaryFolder()
  const scripts = { postinstall: `node -e "require('fs').writeFileSync('${join(home, 'ran')}', '')"` }
  const tarball = pack('hello', pluginFiles('hello'), { keywords: ['svc-plugin'], scripts })
  const { code, out } = await install(home, tarball)
  expect(code).toBe(0)
  expect(out).toContain('has install scripts, which are not run')
  expect(existsSync(join(home, 'ran'))).toBe(false)
})

test('a package that cannot be had leaves the installed ones as they were', async () => {
  const home = temporaryFolder()
  await install(home, pack('one', pluginFiles('one')))
  const before = readFileSync(join(home, 'npm', 'package.json'), 'utf8')
  const { code, err } = await install(home, 'svc-plugin-not-in-any-cache@1.0.0')
  expect(code).toBe(1)
  expect(err).toMatch(/npm pack failed: .+ \(PLUGIN_NPM_FAILED\)/)
  const needy = pack('needy', pluginFiles('needy'), {
    keywords: ['svc-plugin'],
    dependencies: { 'not-in-any-cache': '1' },
  })
  expect((await install(home, needy)).err).toContain('PLUGIN_NPM_FAILED')
  expect(readFileSync(join(home, 'npm', 'package.json'), 'utf8')).toBe(before)
  expect(await pluginsJson(home, ['info', 'one'])).toMatchObject({ origin: 'npm' })
})

test('a package asks for svc itself in vain: the running program is the only one', async () => {
  const home = temporaryFolder()
  const tarball = pack('hello', pluginFiles('hello'), { keywords: ['svc-plugin'], peerDependencies: { svc: '^0.1.0' } })
  expect(await install(home, tarball)).toMatchObject({ code: 0 })
  expect(readdirSync(join(home, 'npm', 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'svc-plugin-hello',
  ])
})

test('without npm a folder can still be installed, and a package says what is missing', async () => {
  const home = temporaryFolder()
  vi.stubEnv('PATH', temporaryFolder())
  const missing = { code: 1, err: expect.stringContaining('PLUGIN_NPM_MISSING') }
  expect(await install(home, 'svc-plugin-hello')).toMatchObject(missing)
  expect(await install(home, writeFolder(temporaryFolder(), pluginFiles('hello')))).toMatchObject({ code: 0 })
})

test('an interrupted installation leaves nothing', async () => {
  const home = temporaryFolder()
  const words = ['install', pack('hello', pluginFiles('hello')), '--yes', '--no-verify']
  const { code } = await plugins(home, words, {
    signal: AbortSignal.abort(new DOMException('interrupted', 'AbortError')),
  })
  expect(code).toBe(130)
  expect(existsSync(join(home, 'npm'))).toBe(false)
  expect(existsSync(join(home, 'data', 'plugin-manager', 'staging'))).toBe(false)
})
