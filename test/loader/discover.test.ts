import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { builtIns, foreign, inspect, projectPluginsEnabled, readRoot } from '../../loader/discover.ts'
import { pluginNames } from '../support/repository.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

function manifest(name: string, more: object = {}) {
  return { name, version: '1.0.0', sdk: '^0.1.0', kind: 'tool', description: 'A plugin.', ...more }
}

/** What was found, as text: `origin name`, with the problem when there is one. */
async function found(home: string, project?: string): Promise<string[]> {
  return (await foreign(home, project)).map(({ manifest: { name }, origin, problem }) => {
    return [`${origin} ${name}`, ...(problem ? [problem] : [])].join(': ')
  })
}

test('the built-in plugins are the folders beside the kernel', () => {
  const all = builtIns()
  expect(all.map((plugin) => plugin.manifest.name)).toEqual(pluginNames())
  expect(new Set(all.map((plugin) => plugin.origin))).toEqual(new Set(['built-in']))
})

test('a home without plugins is no problem', async () => {
  expect(await found(temporaryFolder(), temporaryFolder())).toEqual([])
})

test('plugins are found in the home, among installed packages and in the project, in this order', async () => {
  const [home, project] = [temporaryFolder(), temporaryFolder()]
  writeFiles(home, {
    'plugins/mine/plugin.json': manifest('mine'),
    'npm/package.json': {
      dependencies: { 'svc-plugin-x': '1.0.0', '@scope/y': '1.0.0', plain: '1.0.0', gone: '1.0.0' },
    },
    'npm/node_modules/svc-plugin-x/package.json': { keywords: ['svc-plugin'] },
    'npm/node_modules/svc-plugin-x/plugin.json': manifest('x'),
    'npm/node_modules/@scope/y/package.json': { keywords: ['other', 'svc-plugin'] },
    'npm/node_modules/@scope/y/plugin.json': manifest('y'),
    'npm/node_modules/plain/package.json': { keywords: ['other'] },
    'npm/node_modules/plain/plugin.json': manifest('plain'),
    'npm/node_modules/not-listed/package.json': { keywords: ['svc-plugin'] },
    'npm/node_modules/not-listed/plugin.json': manifest('not-listed'),
  })
  writeFiles(project, { '.svc/plugins/ours/plugin.json': manifest('ours') })
  expect(await found(home, project)).toEqual(['home mine', 'npm x', 'npm y', 'project ours'])
  expect(await found(home)).toEqual(['home mine', 'npm x', 'npm y'])
})

test('only folders with a plugin.json count; hidden ones and node_modules do not', async () => {
  const home = temporaryFolder()
  writeFiles(home, {
    'plugins/notes.txt': '',
    'plugins/empty/readme.txt': '',
    'plugins/.git/plugin.json': manifest('git'),
    'plugins/node_modules/plugin.json': manifest('modules'),
  })
  expect(await found(home)).toEqual([])
})

test.for([
  ['text that is no JSON', '{ "name": ', 'plugin.json cannot be read'],
  ['nothing', '', 'plugin.json cannot be read'],
  ['a list', '[]', 'plugin.json must be an object'],
  ['a field nobody knows', manifest('bad', { contribute: {} }), 'plugin.json has an unknown field "contribute"'],
  ...['a/b', '..', '.', '', '\\', 'a\0'].map((name) => [
    `the portable name ${JSON.stringify(name)}`,
    manifest('bad', { portable: { shared: [name] } }),
    '"portable" must be',
  ]),
  ...[{ state: ['a'] }, { state: { a: ['../b'] } }, { state: { a: ['b//c'] } }, { secrets: ['/etc/passwd'] }].map(
    (portable) => [
      `the portable paths ${JSON.stringify(portable)}`,
      manifest('bad', { portable }),
      '"portable" must be',
    ],
  ),
  ['another kind of portable', manifest('bad', { portable: { all: ['a'] } }), '"portable" must be'],
  ['portable names that are none', manifest('bad', { portable: { shared: [7] } }), '"portable" must be'],
  ['a newer sdk', manifest('bad', { sdk: '^1.0.0' }), 'it was written for a newer SDK (^1.0.0); this is 0.2.0'],
  ['an older sdk', manifest('bad', { sdk: '0.0.x' }), 'it was written for an older SDK (0.0.x); this is 0.2.0'],
  ['no version range', manifest('bad', { sdk: 'latest' }), '"sdk" is "latest", which is not a version range'],
] as const)('a plugin.json with %s is a problem of this plugin alone', async ([, content, said]) => {
  const home = temporaryFolder()
  writeFiles(home, { 'plugins/bad/plugin.json': content, 'plugins/good/plugin.json': manifest('good') })
  const [bad, good] = await found(home)
  expect(bad).toContain(`home bad: `)
  expect(bad).toContain(said)
  expect(good).toBe('home good')
})

test.for(['^0.1.0', '0.1.0', '>=0.1.0', '0.x', '*', '~0.1', '^0.1.0 || ^1.0.0'])('sdk range %s fits', async (sdk) => {
  const home = temporaryFolder()
  writeFiles(home, { 'plugins/a/plugin.json': manifest('a', { sdk }) })
  expect(await found(home)).toEqual(['home a'])
})

test('a link that leads out of the plugins folder is refused by name; one that stays inside is not', async () => {
  const [home, elsewhere] = [temporaryFolder(), temporaryFolder()]
  writeFiles(elsewhere, { 'plugin.json': manifest('linked') })
  writeFiles(home, { 'plugins/real/plugin.json': manifest('real') })
  symlinkSync(elsewhere, join(home, 'plugins/linked'))
  symlinkSync(join(home, 'plugins/real'), join(home, 'plugins/twin'))
  const all = await found(home)
  expect(all[0]).toMatch(/^home linked: its folder leads out of .*plugins, to /)
  expect(all.slice(1)).toEqual(['home real', 'home real'])
})

test('a link to nowhere is skipped', async () => {
  const home = temporaryFolder()
  mkdirSync(join(home, 'plugins'))
  symlinkSync(join(home, 'gone'), join(home, 'plugins/dangling'))
  expect(await found(home)).toEqual([])
})

test.skipIf(process.platform === 'win32').for([
  ['the plugins folder', 'plugins'],
  ['the folder of the plugin', 'plugins/a'],
  ['its plugin.json', 'plugins/a/plugin.json'],
  ['one of its files', 'plugins/a/index.ts'],
  ['a file in a folder of it', 'plugins/a/lib/store.ts'],
])('when everybody can write %s, the plugin is refused and the cure is told', async ([, path]) => {
  const home = temporaryFolder()
  const source = 'export default {}'
  const files = { 'plugin.json': manifest('a'), 'index.ts': source, 'lib/store.ts': source }
  writeFiles(join(home, 'plugins/a'), files)
  chmodSync(join(home, path ?? ''), 0o777)
  const [a] = await found(home)
  expect(a).toContain('can be written by everybody')
  expect(a).toContain(`chmod o-w "${join(home, path ?? '')}"`)
})

test('a broken list of installed packages is one problem, and the other plugins are found', async () => {
  const home = temporaryFolder()
  writeFiles(home, { 'plugins/a/plugin.json': manifest('a'), 'npm/package.json': '{' })
  const all = await found(home)
  expect(all[0]).toBe('home a')
  expect(all[1]).toContain('package.json cannot be read')
})

test('a broken package.json of one installed package does not hide the others', async () => {
  const home = temporaryFolder()
  writeFiles(home, {
    'npm/package.json': { dependencies: { broken: '1.0.0', good: '1.0.0' } },
    'npm/node_modules/broken/package.json': '{',
    'npm/node_modules/good/package.json': { keywords: ['svc-plugin'] },
    'npm/node_modules/good/plugin.json': manifest('good'),
  })
  const all = await found(home)
  expect(all).toContain('npm good')
  expect(all.join('\n')).toContain('broken')
})

test('one folder can be inspected like those that are found', () => {
  const root = temporaryFolder()
  writeFiles(root, { 'a/plugin.json': manifest('a') })
  expect(inspect(join(root, 'a'), 'home', readRoot(root))).toMatchObject({ manifest: { name: 'a' }, origin: 'home' })
  expect(inspect(join(root, 'b'), 'home', readRoot(root)).problem).toBeDefined()
})

test.for([
  ...['1', 'true', 'yes', 'on', 'TRUE', 'Yes', ' on '].map((value) => [value, 'on'] as const),
  ...[undefined, '', ' ', '0', 'false', 'no', 'off', 'OFF'].map((value) => [value, 'off'] as const),
  ...['2', 'y', 'enabled', 'true!', 'off on'].map((value) => [value, 'off with a warning'] as const),
])('SVC_ENABLE_PROJECT_PLUGINS=%s is %s', ([value, meaning]) => {
  const { on, warning } = projectPluginsEnabled(value)
  expect(on).toBe(meaning === 'on')
  if (meaning === 'off with a warning') expect(warning).toContain(`"${value}"`)
  else expect(warning).toBeUndefined()
})

test.for([
  ['a file', 'lib.ts'],
  ['a folder', 'lib'],
  ['a hidden file', '.lib.ts'],
  ['a file deeper down', 'src/lib.ts'],
  ['a link to nowhere', 'src/gone.ts'],
])('%s in a plugin folder that is a link out of it is refused, and the cure is told', async ([what, name = '']) => {
  const [home, elsewhere] = [temporaryFolder(), temporaryFolder()]
  writeFiles(elsewhere, { 'lib.ts': '1' })
  writeFiles(join(home, 'plugins/a'), { 'plugin.json': manifest('a'), 'src/index.ts': '1' })
  const target = what === 'a folder' ? elsewhere : join(elsewhere, what === 'a link to nowhere' ? 'gone.ts' : 'lib.ts')
  symlinkSync(target, join(home, 'plugins/a', name))
  expect(await found(home)).toEqual([expect.stringMatching(/^home a: .* is a link that leads out of .*put a copy/)])
})

test('links inside of a plugin folder and linked packages are no problem', async () => {
  const [home, elsewhere] = [temporaryFolder(), temporaryFolder()]
  const dir = join(home, 'plugins/a')
  writeFiles(dir, { 'plugin.json': manifest('a'), 'src/index.ts': '1' })
  symlinkSync('src/index.ts', join(dir, 'index.ts'))
  symlinkSync(elsewhere, join(dir, 'node_modules'))
  expect(await found(home)).toEqual(['home a'])
})
