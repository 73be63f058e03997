import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Tools } from 'svc/sdk'
import { expect, test } from 'vitest'
import {
  plugins,
  pluginsJson,
  readConfig,
  running,
  temporaryFolder,
  toolCode,
  writeFolder,
  writePlugin,
} from './support.ts'

const greeter = { contributes: { tools: ['greet'] } }

/** Without the kit, which takes longer: verify.test.ts has that. */
function install(home: string, spec: string, ...more: string[]) {
  return plugins(home, ['install', spec, '--yes', '--no-verify', ...more])
}

/** What an installation may leave in a home. */
function installed(home: string): string[] {
  const below = (name: string) => (existsSync(join(home, name)) ? readdirSync(join(home, name)) : [])
  const links = below('plugins').filter((name) => name !== '.versions')
  const versions = [...below(join('plugins', '.versions')), ...below(join('data', 'plugin-manager', 'installed'))]
  const rest = below(join('data', 'plugin-manager')).filter((name) => name !== 'installed')
  return [...new Set([...links, ...versions.map((name) => name.replace('.json', ''))]), ...below('npm'), ...rest]
}

test('a folder becomes a plugin of the home, switched on', async () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const source = writePlugin(folder, 'hello', greeter, toolCode('greet', 'hi'))
  writeFolder(source, { 'node_modules/x/index.js': '', '.git/HEAD': '' })
  const { code, out, err } = await install(home, source)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain('adds tools: greet')
  expect(out).toContain(`Installed in ${join(home, 'plugins', 'hello')}`)
  expect(readdirSync(join(home, 'plugins', 'hello')).sort()).toEqual(['index.js', 'plugin.json'])
  expect(readConfig(home)).toContain('enabled: [hello]')
  expect(installed(home)).toEqual(['hello'])
  expect(await pluginsJson(home, ['info', 'hello'])).toMatchObject({ origin: 'home', status: 'available' })
})

test('the folder of a plugin need not have its name', async () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  writePlugin(folder, 'hello')
  const { code } = await plugins(home, ['install', './hello', '--yes', '--no-verify', '--no-enable'], { cwd: folder })
  expect(code).toBe(0)
  const other = writePlugin(folder, 'cloned-repository', { name: 'world' })
  expect(await install(home, other)).toMatchObject({ code: 0 })
  expect(installed(home)).toEqual(['hello', 'world'])
})

test('with --no-enable it lies there until it is enabled', async () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const { out } = await install(home, writePlugin(folder, 'hello'), '--no-enable')
  expect(out).toContain('svc plugins enable hello')
  expect(existsSync(join(home, 'config.yaml'))).toBe(false)
})

test('a running process has the new plugin at once', async () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  await using chat = await running(home)
  await chat.follow()
  const { out } = await install(home, writePlugin(folder, 'hello', greeter, toolCode('greet', 'hi')))
  expect(out).toMatch(/chat \(process \d+\): runs it \(generation 1\)/)
  expect(chat.all(Tools).get('greet')).toBeDefined()
})

test('what the code does at first sight is shown before anything is agreed to', async () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const source = writePlugin(folder, 'hello', {}, 'setup() { return fetch }')
  writeFolder(source, { 'more.js': "import 'node:child_process'\nfetch(process.env.X)\n" })
  const { code, out, err } = await plugins(home, ['install', source], { interactive: true, answers: ['no'] })
  expect(code).toBe(1)
  expect(out).toMatch(/Seen in its code\n {2}starts other programs: more.js:1\n/)
  expect(out).toContain('uses the network: more.js:2')
  expect(out).toContain('reads the environment of the process: more.js:2')
  expect(err).toContain('Install hello? [y/N]')
  expect(installed(home)).toEqual([])
})

test('the result for programs has the findings, and needs a yes beforehand', async () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const source = writePlugin(folder, 'hello', {}, 'setup() { eval("1") }')
  expect(await plugins(home, ['install', source, '--json'], { interactive: true })).toMatchObject({ code: 1, out: '' })
  const done = await pluginsJson(home, ['install', source, '--yes', '--no-verify'])
  expect(done).toMatchObject({ name: 'hello', enabled: true, changed: true, processes: [] })
  expect(done).toMatchObject({ findings: [{ what: 'runs text as code', file: 'index.js' }] })
})

test.for([
  ['no plugin.json', { 'index.js': '' }, /there is no plugin.json/],
  ['a plugin.json that is no JSON', { 'plugin.json': '{' }, /plugin.json .* cannot be read/],
  ['a field that is unknown', { 'plugin.json': '{"name":"x","colour":"red"}' }, /lacks "version"/],
  ['another SDK', 'future', /written for a newer SDK/],
  ['the name of a built-in plugin', 'chat', /"chat" is there already \(built-in\)/],
] as const)('a folder with %s is refused, and nothing is left behind', async ([, files, reason]) => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  if (typeof files === 'string') writePlugin(folder, files, files === 'future' ? { sdk: '>=9' } : {})
  else writeFolder(folder, files)
  const { code, err } = await install(home, typeof files === 'string' ? join(folder, files) : folder)
  expect(code).toBe(1)
  expect(err).toMatch(reason)
  expect(installed(home)).toEqual([])
  expect(existsSync(join(home, 'config.yaml'))).toBe(false)
})

test('a plugin that is there already is not overwritten', async () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const source = writePlugin(folder, 'hello')
  await install(home, source)
  expect((await install(home, source)).err).toContain('svc plugins update hello --from SPEC')
})

test.skipIf(process.platform === 'win32')('links that lead out and files that all may change are refused', async () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const leaky = writePlugin(folder, 'leaky')
  symlinkSync('/etc', join(leaky, 'etc'))
  expect((await install(home, leaky)).err).toContain('PLUGIN_UNSAFE')
  const open = writePlugin(folder, 'open')
  chmodSync(join(open, 'index.js'), 0o666)
  expect((await install(home, open)).err).toContain('chmod')
  expect(installed(home)).toEqual([])
})

test('when config.yaml cannot be written, the plugin is taken out again', async () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  writeFileSync(join(home, 'config.yaml'), 'plugins: "all of them"\n')
  const { code, err } = await install(home, writePlugin(folder, 'hello'))
  expect(code).toBe(1)
  expect(err).toMatch(/config.yaml|plugins/)
  expect(installed(home)).toEqual([])
  expect(readConfig(home)).toBe('plugins: "all of them"\n')
})

test.for([
  ['./nothing-here', /is not there/],
  ['/etc/hosts', /neither a folder nor a .tgz file/],
  ['ftp://example.com/x.git', /is not one of these/],
  ['--force', /has no option --force/],
  ['name; rm -rf /', /is not one of these/],
] as const)('%s is no plugin that could be installed', async ([spec, reason]) => {
  const home = temporaryFolder()
  const { code, err } = await install(home, spec)
  expect(code).toBeGreaterThan(0)
  expect(err).toMatch(reason)
  expect(installed(home)).toEqual([])
})

test('one installation at a time: a second is told who is at it, and a dead one is cleared away', async () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const staging = join(home, 'data', 'plugin-manager', 'staging')
  mkdirSync(staging, { recursive: true })
  writeFileSync(join(staging, 'pid'), String(process.pid))
  const source = writePlugin(folder, 'hello')
  const busy = await install(home, source)
  expect(busy).toMatchObject({ code: 1, err: expect.stringContaining(`Process ${process.pid} is installing`) })
  writeFileSync(join(staging, 'pid'), '0')
  mkdirSync(join(staging, 'npm-before', 'node_modules'), { recursive: true })
  expect(await install(home, source)).toMatchObject({ code: 0 })
  expect(installed(home)).toEqual(['hello', 'node_modules'])
})
