import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { SvcError } from 'svc/sdk'
import { expect, test } from 'vitest'
import { Seal } from '../../home/seal.ts'
import { stage } from '../../loader/bundle-plugin.ts'
import { root } from '../support/repository.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

/** A plugin folder with these files, and what importing it gives. */
function pluginWith(files: Readonly<Record<string, unknown>>) {
  const [dir, cache] = [temporaryFolder(), temporaryFolder()]
  writeFiles(dir, files)
  const tampered: string[] = []
  const seal = new Seal(temporaryFolder())
  const address = () => stage(dir, { cache, seal, onTampered: (out) => tampered.push(out) })
  const load = async () => ((await import(await address())) as { default: unknown }).default
  return { dir, cache, address, load, tampered }
}

test('the same contents have the same address, changed contents a new one', async () => {
  const { dir, address, load } = pluginWith({ 'index.js': 'export default "first"' })
  const first = await address()
  expect(await address()).toBe(first)
  expect(await load()).toBe('first')
  writeFiles(dir, { 'index.js': 'export default "second"' })
  expect(await load()).toBe('second')
  writeFiles(dir, { 'index.js': 'export default "first"' })
  expect(await address()).toBe(first)
})

test('a change of a file that is imported counts, one of the installed packages or of notes does not', async () => {
  const { dir, address, load } = pluginWith({
    'index.ts': `import { word } from './lib/word.ts'\nexport default word`,
    'lib/word.ts': `export const word: string = 'one'`,
    'node_modules/x/index.js': '1',
    'notes.md': '1',
  })
  const first = await address()
  writeFiles(dir, { 'node_modules/x/index.js': '2', 'notes.md': '2', '.cache/x.js': '3' })
  expect(await address()).toBe(first)
  writeFiles(dir, { 'lib/word.ts': `export const word: string = 'two'` })
  expect(await load()).toBe('two')
})

test('TypeScript, JSON and modules that are imported late all work', async () => {
  const { load } = pluginWith({
    'index.ts': `
      import data from './data.json'
      interface Shape { readonly size: number }
      const shape: Shape = data satisfies Shape
      const late = async () => (await import('./late.ts')).late
      export default { size: shape.size, late: await late() }`,
    'data.json': { size: 3 },
    'late.ts': `export const late = 'came' as const`,
  })
  expect(await load()).toEqual({ size: 3, late: 'came' })
})

test('the sdk of a plugin is the running one, so classes and tokens are the same', async () => {
  const { load } = pluginWith({
    'index.ts': `import { SvcError } from 'svc/sdk'\nexport default new SvcError('X', 'y')`,
  })
  expect(await load()).toBeInstanceOf(SvcError)
})

test('every room of the kit is there for a plugin', async () => {
  const rooms = readdirSync(join(root, 'sdk/kit'))
  const { load } = pluginWith({
    'index.ts': `${rooms.map((room, at) => `import * as room${at} from 'svc/sdk/kit/${room}'`).join('\n')}
      export default [${rooms.map((_, at) => `Object.keys(room${at}).length`).join(', ')}]`,
  })
  expect(rooms.length).toBeGreaterThan(4)
  expect(((await load()) as number[]).every((names) => names > 0)).toBe(true)
})

test('packages come from the folder of the plugin, else from the program', async () => {
  const { load } = pluginWith({
    'index.ts': `import own from 'own-package'\nimport { z } from 'zod'\nexport default [own, typeof z.object]`,
    'node_modules/own-package/package.json': { name: 'own-package', main: 'main.js', type: 'module' },
    'node_modules/own-package/main.js': 'export default "mine"',
  })
  expect(await load()).toEqual(['mine', 'function'])
})

test('a plugin knows its own folder, not that of its bundle', async () => {
  const { dir, load } = pluginWith({ 'index.ts': 'export default [import.meta.url, import.meta.dirname]' })
  expect(await load()).toEqual([pathToFileURL(join(dir, 'index.ts')).href, dir])
})

test('Node modules are found with and without their prefix', async () => {
  const { load } = pluginWith({
    'index.ts': `import { sep } from 'path'\nimport { EOL } from 'node:os'\nexport default [sep, EOL]`,
  })
  expect(await load()).toEqual([expect.any(String), expect.any(String)])
})

test.for([
  [{ svc: 'src/plugin.js', main: 'main.js' }, 'from svc'],
  [{ main: 'main.js' }, 'from main'],
  [{ main: 'gone.js' }, 'from index'],
] as const)('the entry is what package.json %j names, if it is there', async ([packageJson, expected]) => {
  const { load } = pluginWith({
    'package.json': packageJson,
    'src/plugin.js': 'export default "from svc"',
    'main.js': 'export default "from main"',
    'index.js': 'export default "from index"',
  })
  expect(await load()).toBe(expected)
})

test('a folder without an entry, and a package that is not installed, are told with what to do', async () => {
  await expect(pluginWith({ 'other.ts': '' }).address()).rejects.toMatchObject({
    code: 'PLUGIN_MANIFEST',
    message: expect.stringContaining('has no index.ts or index.js'),
  })
  await expect(pluginWith({ 'index.ts': `import 'no-such-package'` }).address()).rejects.toMatchObject({
    code: 'PLUGIN_FAILED',
    message: expect.stringContaining('run npm install'),
  })
})

test('a mistake in the code names the file and the line, and leaves nothing half made', async () => {
  const { address, cache } = pluginWith({ 'index.ts': 'const a = 1\nexport default {{{' })
  await expect(address()).rejects.toThrow(/index\.ts:2/)
  expect(existsSync(cache) ? readdirSync(cache) : []).toEqual([])
})

test('two processes, or two calls, that stage one folder at once do not disturb each other', async () => {
  const { address } = pluginWith({ 'index.js': 'export default 1' })
  const [first, second] = await Promise.all([address(), address()])
  expect(first).toBe(second)
})

test('a bundle that someone changed is built again and reported, one that someone put there is not run', async () => {
  const { address, load, tampered } = pluginWith({ 'index.js': 'export default "mine"' })
  const file = fileURLToPath(await address())
  writeFileSync(file, 'export default "evil"')
  expect(await load()).toBe('mine')
  expect(tampered).toEqual([dirname(file)])
  writeFileSync(join(dirname(file), 'late.js'), 'export default "evil"')
  await address()
  expect(tampered).toHaveLength(2)
  expect(existsSync(join(dirname(file), 'late.js'))).toBe(false)

  const other = pluginWith({ 'index.js': 'export default "other"' })
  const place = fileURLToPath(await other.address())
  for (const name of [place, `${dirname(place)}.mark`]) rmSync(name)
  writeFileSync(place, 'export default "evil"')
  expect(await other.load()).toBe('other')
})

test('the mark of one bundle is none for another', async () => {
  const { dir, address, load, tampered } = pluginWith({ 'index.js': 'export default "first"' })
  const first = dirname(fileURLToPath(await address()))
  writeFiles(dir, { 'index.js': 'export default "second"' })
  const second = dirname(fileURLToPath(await address()))
  copyFileSync(join(first, 'index.js'), join(second, 'index.js'))
  copyFileSync(`${first}.mark`, `${second}.mark`)
  expect(await load()).toBe('second')
  expect(tampered).toEqual([second])
})

test('CommonJS is loaded: the SDK, modules of Node, packages of both kinds, and its own files', async () => {
  const { load } = pluginWith({
    'package.json': { main: 'main.cjs' },
    'main.cjs': `
      const { Tools } = require('svc/sdk')
      const { readFileSync } = require('fs')
      const EventEmitter = require('node:events')
      const { own } = require('./lib/own.js')
      const old = require('old-dep')
      const fresh = require('new-dep')
      module.exports = { id: Tools.id, file: typeof readFileSync, event: typeof new EventEmitter().on, own, old: old(), fresh: fresh.word }`,
    'lib/own.js': `exports.own = 'own'`,
    'node_modules/old-dep/index.js': `module.exports = () => 'old'`,
    'node_modules/new-dep/package.json': { name: 'new-dep', type: 'module', main: 'index.js' },
    'node_modules/new-dep/index.js': `export const word = 'new'`,
  })
  const expected = { id: 'tools', file: 'function', event: 'function', own: 'own', old: 'old', fresh: 'new' }
  expect(await load()).toEqual(expected)
})
