/**
 * Packs what is published, from a fresh `dist`: the program as `@svc-agent/svc`, and the SDK alone, types and tokens without
 * any dependency, as `@svc-agent/sdk`. Plugins import `svc/sdk` in both cases: `npm install -D svc@npm:@svc-agent/sdk`.
 * `node .ci/pack.mjs [folder]` writes the archives there and prints their paths, one a line.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'

const readme = `# The SDK of svc

Types and tokens for plugins of svc, without native code and without the program. Plugins import \`svc/sdk\`, so install it under
that name:

\`\`\`
npm install --save-dev svc@npm:@svc-agent/sdk
\`\`\`

A plugin that runs gets the SDK of the program that runs it; tokens are compared by their ids. The test kit, \`svc/sdk/testing\`,
runs the program: for tests install \`svc@npm:@svc-agent/svc\` in place of this package.

CONTRIBUTING.md shows a first plugin, sdk/README.md lists hooks, services and points, sdk/api.txt all names.
`

const noTesting = `throw new Error(
  'svc/sdk/testing runs the program, which this package does not hold. Install it: npm install --save-dev svc@npm:@svc-agent/svc',
)
`
const root = resolve(import.meta.dirname, '..')
const out = resolve(process.argv[2] ?? '.')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const { version, license, engines } = manifest
const work = mkdtempSync(join(tmpdir(), 'svc-pack-'))
try {
  mkdirSync(out, { recursive: true })
  for (const make of [makeProgram, makeSdk]) {
    const dir = join(work, make.name)
    mkdirSync(dir)
    writeFileSync(join(dir, 'package.json'), `${JSON.stringify(make(dir), undefined, 2)}\n`)
    const options = { cwd: dir, encoding: 'utf8', shell: process.platform === 'win32' }
    const name = execFileSync(
      'npm',
      ['pack', '--silent', '--ignore-scripts', '--pack-destination', out],
      options,
    ).trim()
    process.stdout.write(`${join(out, name.split('\n').at(-1))}\n`)
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** The name `svc` belongs to another project. The checkout keeps it for its own imports; what is published has a scope. */
function makeProgram(dir) {
  for (const path of [...manifest.files, 'README.md', 'LICENSE']) copy(path, join(dir, path))
  const { scripts: _scripts, devDependencies: _dev, allowScripts: _allow, insideDist: _inside, ...rest } = manifest
  return {
    ...rest,
    name: '@svc-agent/svc',
    exports: withoutSources(manifest.exports),
    bundledVersions: listBundled(manifest.insideDist),
    publishConfig: { access: 'public' },
  }
}

/** The packages that the build put into `dist`, with what they depend on: an audit cannot see them otherwise. */
function listBundled(names) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const versions = {}
  const visited = new Set()
  const waiting = names.map((name) => ['', name])
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const path = findLocked(packages, ...next)
    if (path === undefined || visited.has(path)) continue
    visited.add(path)
    const { version, dependencies = {} } = packages[path]
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    versions[name] = [...new Set([...(versions[name] ?? []), version])].sort()
    for (const each of Object.keys(dependencies)) waiting.push([`${path}/`, each])
  }
  return Object.fromEntries(Object.entries(versions).sort(([one], [other]) => one.localeCompare(other, 'en')))
}

/** Where the lock file has a package that is imported from the folder `from`, which is empty or ends with a slash. */
function findLocked(packages, from, name) {
  for (let dir = from; ; dir = dir.slice(0, dir.lastIndexOf('node_modules/'))) {
    const path = `${dir}node_modules/${name}`
    if (packages[path]) return path
    if (dir === '') return undefined
  }
}

function makeSdk(dir) {
  const isSdk = ([path]) => (path.startsWith('./sdk') || path === './plugin.schema.json') && path !== './sdk/testing'
  const exports = withoutSources(Object.fromEntries(Object.entries(manifest.exports).filter(isSdk)))
  const isMeant = (path) => !/^(testing|running)([./\\]|$)/.test(path)
  for (const part of ['dist/sdk', 'dist/types/sdk'])
    cpSync(join(root, part), join(dir, part), {
      recursive: true,
      filter: (path) => isMeant(relative(join(root, part), path)),
    })
  for (const path of ['LICENSE', 'sdk/README.md', 'sdk/api.txt', 'sdk/plugin.schema.json', 'CONTRIBUTING.md'])
    copy(path, join(dir, path))
  writeFileSync(join(dir, 'README.md'), readme)
  writeFileSync(join(dir, 'dist/sdk/testing.js'), noTesting)
  writeFileSync(join(dir, 'dist/types/sdk/testing.d.ts'), 'export {}\n')
  const testing = { types: './dist/types/sdk/testing.d.ts', default: './dist/sdk/testing.js' }
  // Its types are part of those of a shared store.
  const peers = [...importedPackages(join(dir, 'dist/sdk')), 'kysely'].sort()
  return {
    name: '@svc-agent/sdk',
    version,
    description: 'Types and tokens for plugins of svc. Install it under the name svc: plugins import svc/sdk.',
    license,
    type: 'module',
    engines,
    exports: { ...exports, './sdk/testing': testing, './package.json': './package.json' },
    sideEffects: false,
    peerDependencies: Object.fromEntries(peers.map((name) => [name, versionOf(name)])),
    peerDependenciesMeta: Object.fromEntries(peers.map((name) => [name, { optional: true }])),
    publishConfig: { access: 'public' },
  }
}

/** Packages that some rooms of the kit import, most of them when they are used. */
function importedPackages(dir) {
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'))
  const texts = files.map((file) => readFileSync(join(dir, file), 'utf8'))
  const names = texts.flatMap((text) =>
    [...text.matchAll(/(?:import\(|from ?)"([a-z@][^":]*)"/g)].map(([, name]) => name),
  )
  return [...new Set(names)].filter((name) => !isBuiltin(name)).sort()
}

function versionOf(name) {
  return manifest.dependencies[name] ?? manifest.devDependencies[name]
}

/** The condition `svc-source` leads to the TypeScript sources, which are not packed. */
function withoutSources(exports) {
  const entries = Object.entries(exports).map(([path, target]) => {
    if (typeof target === 'string') return [path, target]
    const { 'svc-source': _, ...rest } = target
    return [path, rest]
  })
  return Object.fromEntries(entries)
}

function copy(path, to) {
  if (!existsSync(join(root, path))) throw new Error(`${path} is not there; run: npm run build`)
  mkdirSync(dirname(to), { recursive: true })
  cpSync(join(root, path), to, { recursive: true, filter: (from) => !/[\\/](node_modules|\.built)$/.test(from) })
}
