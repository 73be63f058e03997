import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { entryNames } from '../support/docs/api-report.ts'
import { findPlugin, packageJson, pluginFolder, rooms, sourcesBelow } from '../support/repository.ts'
import { COMPUTED, type Import, listImports, parse, source } from '../support/syntax.ts'

/** The plugin that runs the conformance kit, and so may import it. */
const runTheKit = ['plugin-manager'].map((name) => `${pluginFolder(name)}/`)
/** Bring in what discovery found, as sources and for the built program: the places that import an address. */
const importsAddresses = ['loader/module-import.ts', 'program/load.ts']

/** Any room of the kit, as a plugin imports it. */
const KIT = 'svc/sdk/kit/*'

/** Entry points of the SDK that the package exports. */
const ENTRIES = ['svc/sdk', ...entryNames.map((name) => `svc/sdk/${name}`)]

/** Types that the SDK passes on from a package, so that plugins need no copy of it. */
const typesOf: Readonly<Record<string, string>> = { 'sdk/shared-store.ts': 'kysely' }

/** Installed, or built into the program. */
const packages = [...Object.keys(packageJson.dependencies), ...packageJson.insideDist]
const forTests = Object.keys(packageJson.devDependencies)

function isPackage(specifier: string, names: readonly string[]): boolean {
  return names.some((name) => specifier === name || specifier.startsWith(`${name}/`))
}

/** Where an import leads: a folder of ours with a slash at its end, `node:`, `npm`, or the specifier itself. */
function target(file: string, { specifier, erased }: Import): string {
  if (erased && typesOf[file] === specifier) return getHome(file)
  if (isBuiltin(specifier)) return specifier.startsWith('node:') ? 'node:' : specifier
  if (isPackage(specifier, packages) || (erased && isPackage(specifier, forTests))) return 'npm'
  if (specifier.startsWith('svc/sdk/kit/')) return KIT
  if (!specifier.startsWith('.')) return specifier
  return getHome(posix.join(posix.dirname(file), specifier))
}

/** The part of the repository that a file belongs to: a plugin, an example, or a folder at the top. */
function getHome(file: string): string {
  const plugin = findPlugin(file)
  if (plugin !== undefined) return `${pluginFolder(plugin)}/`
  const [top = '', name = ''] = file.split('/')
  return top === 'plugins' || top === 'examples' ? `${top}/${name}/` : `${top}/`
}

function listAllowed(file: string): readonly string[] {
  const own = getHome(file)
  if (file.startsWith('examples/') || file.includes('/templates/'))
    return [own, 'svc', ...ENTRIES, KIT, 'svc/sdk/testing', 'npm', ...forTests, 'node:']
  if (file.startsWith('plugins/'))
    return [own, ...ENTRIES, KIT, 'npm', 'node:', ...(runTheKit.includes(own) ? ['svc/sdk/testing'] : [])]
  const room = rooms.findIndex((name) => file.startsWith(`${name}/`))
  if (room >= 0) {
    const before = rooms.slice(0, room + 1).map((name) => `${name}/`)
    return [...before, 'sdk/', 'npm', 'node:', ...(importsAddresses.includes(file) ? [COMPUTED] : [])]
  }
  if (file.startsWith('sdk/kit/')) return ['sdk/', 'npm', 'node:']
  if (file === 'sdk/testing.ts' || file.startsWith('sdk/testing/')) return ['sdk/', 'svc', 'npm', 'node:']
  return ['sdk/']
}

function strays(file: string, imports: readonly Import[]): string[] {
  const allowed = listAllowed(file)
  return imports
    .filter((each) => !allowed.includes(target(file, each)))
    .map(({ specifier }) => `${file} imports ${specifier}`)
}

test.for([
  [
    'plugins',
    'a plugin imports the entry points of the SDK, the kit, its own folder, packages of package.json and node:, nothing else',
  ],
  ['kernel', 'the kernel imports itself, the sdk, packages and node:, and never a plugin'],
  ['home', 'the home imports itself and the kernel, but neither the loader nor the program'],
  ['loader', 'the loader imports itself, the home and the kernel, but not the program'],
  ['program', 'the program imports itself and every room before it, and never a plugin'],
  ['sdk', 'the sdk imports only itself; the kit also packages and node:, the testing kit also the runtime'],
  [
    'examples',
    'an example imports what an outsider can: svc, the public entry points, the kit, svc/sdk/testing, packages and node:',
  ],
] as const)('the border of %s holds: %s', ([folder]) => {
  const files = sourcesBelow(folder)
  expect(files.flatMap((file) => strays(file, listImports(source(file))))).toEqual([])
})

test('the rule sees through every way to import what is forbidden', () => {
  const stray = (file: string, ...specifiers: string[]) => {
    return strays(
      file,
      specifiers.map((specifier) => ({ specifier, erased: false })),
    ).length
  }
  expect(stray('plugins/a/index.ts', '../b/store.ts', '../../kernel/host.ts', '../../sdk/index.ts', 'svc', 'fs')).toBe(
    5,
  )
  expect(stray('plugins/a/index.ts', 'svc/sdk/testing', 'vitest', COMPUTED, '../../package.json')).toBe(4)
  expect(stray('plugins/a/store.ts', './db.ts', 'svc/sdk', 'zod', 'zod/v4', 'node:fs', './pages/x.ts')).toBe(0)
  expect(stray('kernel/host.ts', '../plugins/a/index.ts', 'svc/sdk', 'vitest', COMPUTED)).toBe(4)
  expect(stray('kernel/host.ts', '../home/home-folder.ts', '../loader/manifest.ts', '../program/log.ts')).toBe(3)
  expect(stray('home/config.ts', '../kernel/owner.ts', '../loader/manifest.ts', '../program/log.ts')).toBe(2)
  expect(stray('loader/import.ts', '../kernel/owner.ts', '../home/seal.ts', '../program/log.ts')).toBe(1)
  expect(stray('program/main.ts', '../kernel/kernel.ts', '../home/home-folder.ts', '../loader/discover.ts')).toBe(0)
  expect(stray('sdk/declarations.ts', 'zod', 'node:fs', 'svc', '../kernel/host.ts')).toBe(4)
  expect(stray('plugins/a/lock.ts', 'svc/sdk/kit/process', 'svc/sdk/host', 'svc/sdk/hooks')).toBe(0)
  expect(stray('plugins/a/lock.ts', 'svc/sdk/entries/host', 'svc/sdk/index.ts')).toBe(2)
  expect(stray('examples/hello-plugin/index.ts', 'svc/sdk/platform', 'svc/sdk/internal')).toBe(1)
  expect(
    stray('sdk/kit/process/index.ts', 'node:fs', 'ws', '../../ports.ts', 'svc/sdk', '../../../kernel/host.ts'),
  ).toBe(2)
  expect(stray('sdk/testing/kernel.ts', 'svc', 'node:fs', 'ws', '../cli.ts')).toBe(0)
  expect(stray('examples/embed/index.ts', '../../program/library.ts', '../hello-plugin/index.ts')).toBe(2)
})

test('imports of every form are found', () => {
  const text = `
    import './effect.ts'
    import type { A } from './type.ts'
    export * from './all.ts'
    export type { B } from './passed-on.ts'
    const lazy = () => import('./lazy.ts')
    const odd = (name: string) => import(name)
    let typed: import('./in-a-type.ts').C
    const old = require('./old.cjs')
    import older = require('./older.cjs')
    // import './comment.ts'
    const text = "import './text.ts'"`
  expect(listImports(parse('x.ts', text)).map(({ specifier }) => specifier)).toEqual([
    './effect.ts',
    './type.ts',
    './all.ts',
    './passed-on.ts',
    './lazy.ts',
    COMPUTED,
    './in-a-type.ts',
    './old.cjs',
    './older.cjs',
  ])
})
