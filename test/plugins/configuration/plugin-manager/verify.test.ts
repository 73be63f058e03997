import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { builtPlugins, plugins, readConfig, temporaryFolder, toolCode, writeFolder, writePlugin } from './support.ts'

vi.setConfig({ testTimeout: 60_000 })

test('a plugin that lies in its manifest fails, and the case says how', async () => {
  const folder = temporaryFolder()
  writePlugin(folder, 'liar', { contributes: { tools: ['greet', 'wave'] } }, toolCode('greet', 'hi'))
  const { code, out } = await builtPlugins(temporaryFolder(), ['verify', 'liar'], folder)
  expect(code).toBe(1)
  expect(out).toMatch(/^FAILED {2}.*tools "wave" is promised but missing/m)
  expect(out).toMatch(/liar does not keep the contracts of svc: \d+ of \d+ cases failed/)
})

test('code that blocks or ends its process cannot take the command along', async () => {
  const folder = temporaryFolder()
  writePlugin(folder, 'quitter', {}, 'setup() { process.exit(0) }')
  const report = await builtPlugins(temporaryFolder(), ['verify', 'quitter', '--json'], folder)
  expect(report.code).toBe(1)
  expect(JSON.parse(report.out)).toMatchObject({ plugin: 'quitter', ok: false })
})

test('a folder without a plugin is told how to begin one', async () => {
  const { code, err } = await plugins(temporaryFolder(), ['verify'], { cwd: temporaryFolder() })
  expect(code).toBe(1)
  expect(err).toContain('svc plugins new NAME')
})

test('an installation verifies first, and takes nothing in that fails', async () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const bad = writePlugin(folder, 'liar', { provides: ['coffee'] })
  const refused = await builtPlugins(home, ['install', bad, '--yes'])
  expect(refused.code).toBe(1)
  expect(refused.err).toMatch(/liar was not installed\. .*provides "coffee" is promised but missing.*--no-verify/)
  expect(() => readConfig(home)).toThrow()
  const good = writePlugin(folder, 'honest')
  writeFolder(good, { 'README.md': '# honest' })
  const installed = await builtPlugins(home, ['install', good, '--yes', '--json'])
  expect(JSON.parse(installed.out)).toMatchObject({ dir: join(home, 'plugins', 'honest'), enabled: true })
})

test('plugins that it needs and a file with settings come along with --with and --config', async () => {
  const folder = temporaryFolder()
  const token = `sdk.defineService('coffee')`
  writePlugin(folder, 'machine', { provides: ['coffee'] }, `setup(ctx) { ctx.provide(${token}, () => ({})) }`)
  const config = `config: { '~standard': { version: 1, vendor: 'test', validate: (value) =>
    value.cup ? { value } : { issues: [{ message: 'name a cup', path: ['cup'] }] } } }`
  writePlugin(folder, 'drinker', { requires: ['coffee'] }, `${config}, setup(ctx) { ctx.use(${token}) }`)
  writeFolder(folder, { 'settings.yaml': 'plugins:\n  entries:\n    drinker: { cup: large }\n' })
  const run = (...more: string[]) => builtPlugins(temporaryFolder(), ['verify', 'drinker', ...more], folder)
  const alone = await run('--config', 'settings.yaml')
  expect(alone).toMatchObject({ code: 1, out: expect.stringContaining('nothing provides "coffee"') })
  const both = await run('--with', 'machine', '--config', 'settings.yaml')
  expect(both.out).toContain('ok      a reload replaces it while it runs')
  expect(both.code).toBe(0)
  expect((await run('--with', 'nothing')).err).toContain('--with: there is no plugin.json in')
  expect((await run('--config', 'none.yaml')).err).toContain('--config: ')
})

test('--packed examines what npm would ship: a file that .npmignore leaves out is missing', async () => {
  const folder = temporaryFolder()
  const dir = writePlugin(folder, 'parcel', {}, 'setup() { help() }')
  writeFolder(dir, {
    'index.js': `import { help } from './helper.js'\nimport * as sdk from 'svc/sdk'\nexport default sdk.definePlugin({ setup() { help() } })\n`,
    'helper.js': 'export const help = () => {}\n',
    'package.json': JSON.stringify({ name: 'svc-plugin-parcel', version: '1.0.0', type: 'module', main: 'index.js' }),
  })
  const run = () => builtPlugins(temporaryFolder(), ['verify', 'parcel', '--packed'], folder)
  expect((await run()).code).toBe(0)
  writeFolder(dir, { '.npmignore': 'helper.js\n' })
  expect(await run()).toMatchObject({ code: 1, out: expect.stringContaining('helper.js') })
})
