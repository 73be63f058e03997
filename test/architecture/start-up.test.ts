import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from 'svc/sdk/host'
import { expect, test } from 'vitest'
import { plan } from '../../kernel/plan.ts'
import { runAndList } from '../support/loaded.ts'
import { findPlugin, pluginFolder, read, root, sourcesBelow } from '../support/repository.ts'
import { services } from '../support/tokens.ts'

/** The manifests that were built in. Read when they are needed: the program may be built again while the tests run. */
const manifests = (): readonly Manifest[] => JSON.parse(read('dist/plugins/index.json'))

/** The one file that `--version` and `--help` load: too small for a plugin or a library to hide in. */
const firstFile = 'dist/kernel/bin.cjs'
const FIRST_FILE_BYTES = 32 * 1024
/** What a command runs on: the first file, what loads the program, and the program. */
const commandFiles = [firstFile, 'dist/kernel/load.cjs', 'dist/kernel/program.cjs']

/** Libraries that every command needs. */
const libraries = ['awilix', 'cac', 'fastest-levenshtein', 'tapable']
/** The list of plugins tells what config.yaml switches. */
const listPackages = [...libraries, 'yaml']
/** One question has settings and is recorded. */
const oneShotPackages = [...libraries, 'better-sqlite3', 'zod']
/** How many of the files of its plugins one question may evaluate; the rest waits in functions that are not called. */
const EVALUATED_SHARE = 0.6

test('svc --version loads one file', () => {
  const run = runAndList(['--version'])
  expect(run).toMatchObject({ code: 0, err: '', files: [firstFile] })
  expect(run.out).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('twenty MCP servers in config.yaml add no file to svc --version, and none of the client to svc mcp list', () => {
  const servers = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`s${at}`, { command: '/nowhere/server' }]))
  expect(runAndList(['--version'], { mcp_servers: servers })).toMatchObject({ code: 0, err: '', files: [firstFile] })
  const list = runAndList(['mcp', 'list'], { mcp_servers: servers })
  expect(list.out.match(/not asked yet/g)).toHaveLength(20)
  expect(list.packages).not.toContain('@modelcontextprotocol/sdk')
  expect(list.sources.filter((file) => /plugins\/mcp\/mcp\/(?:connection|protocol|oauth)\.ts$/.test(file))).toEqual([])
})

test('svc --help reads manifests: the same file is enough, no plugin and no library is loaded', () => {
  const { code, out, files } = runAndList(['--help'])
  expect({ code, files }).toEqual({ code: 0, files: [firstFile] })
  for (const { name, hidden = false } of manifests().flatMap(({ cli = [] }) => cli))
    expect(out.includes(`  ${name} `), name).toBe(!hidden && !name.includes(' '))
  expect(statSync(join(root, firstFile)).size).toBeLessThan(FIRST_FILE_BYTES)
})

test('a mistyped command loads no plugin either', () => {
  const { code, err, sources, packages } = runAndList(['caht'])
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean: svc chat') })
  expect(sources.filter((file) => file.startsWith('plugins/'))).toEqual([])
  expect(packages).toEqual(['fastest-levenshtein'])
})

test('svc plugins list evaluates the plugins that the plan names and only the libraries they need', () => {
  const { code, out, files, sources, packages } = runAndList(['plugins', 'list'])
  expect({ code, files, packages }).toEqual({ code: 0, files: commandFiles, packages: listPackages })
  for (const { name } of manifests()) expect(out).toContain(name)
  expect(evaluatedPlugins(sources)).toEqual(plannedFor('plugin-manager'))
})

test('one question evaluates the plugins that the plan names and only the packages they need', () => {
  const { code, out, files, sources, packages } = runAndList(['chat', '--provider', 'demo', '-q', 'hi'])
  expect({ code, answered: out.trim().length > 0, files }).toEqual({ code: 0, answered: true, files: commandFiles })
  expect(packages).toEqual([...oneShotPackages].sort())
  expect(evaluatedPlugins(sources)).toEqual(plannedFor('chat'))
})

test('of a plugin that is loaded only what was asked for is evaluated', () => {
  const { sources } = runAndList(['chat', '--provider', 'demo', '-q', 'hi'])
  const planned = new Set(plannedFor('chat'))
  const all = sourcesBelow('plugins').filter((file) => planned.has(findPlugin(file) ?? ''))
  const evaluated = sources.filter((file) => file.startsWith('plugins/'))
  expect(evaluated.length / all.length).toBeLessThan(EVALUATED_SHARE)
})

test('one question reads less than three quarters of the built-in plugins as text', () => {
  const bytes = (name: string) => statSync(join(root, 'dist/kernel', name)).size
  expect(bytes('program.cjs') / (bytes('program.cjs') + bytes('others.cjs'))).toBeLessThan(0.75)
})

test('importing svc/sdk reads two files and no package', () => {
  const imports = (file: string) => [
    ...new Set([...read(file).matchAll(/(?:from|import)\s*"([^"]+)"/g)].map(([, name]) => name)),
  ]
  expect(imports('dist/sdk/index.js')).toEqual(['./core.js'])
  expect(imports('dist/sdk/core.js').filter((name) => !name?.startsWith('node:'))).toEqual([])
})

function evaluatedPlugins(sources: readonly string[]): string[] {
  const evaluated = sources.flatMap((file) => {
    const plugin = findPlugin(file)
    return plugin !== undefined && file === `${pluginFolder(plugin)}/index.ts` ? [plugin] : []
  })
  return evaluated.sort()
}

/** Names of the plugins that a command of this plugin brings along, sorted. */
function plannedFor(name: string): string[] {
  const all = manifests().map((manifest) => ({ manifest, origin: 'built-in', dir: '' }) as const)
  const provided = new Set(manifests().flatMap(({ provides = [] }) => provides))
  const given = new Set(
    services()
      .map(({ token }) => token.id)
      .filter((id) => !provided.has(id)),
  )
  return plan(all, { names: [name], given })
    .load.map(({ manifest }) => manifest.name)
    .sort()
}
