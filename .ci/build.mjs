/**
 * Builds `dist`: the program in one file, the first file that runs it, what others import, manifests, and the types.
 * `--if-stale` does nothing when no source is newer than the last build.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build as esbuild } from 'esbuild'
import { cheaper, leaveOut, sqlite, tune } from './trim.mjs'
import { buildWebUi } from './web-ui.mjs'

const root = resolve(import.meta.dirname, '..')
process.chdir(root)
const stamp = 'dist/.built'
/** What the program offers by name, and the modules that are evaluated for it. */
const entrances = {
  run: './program/run.ts',
  'named-folders': './loader/named-folders.ts',
  cli: './program/cli.ts',
  nearest: './sdk/kit/text/nearest.ts',
  library: './program/library.ts',
  testing: './sdk/testing.ts',
}
/** Entry points of the SDK, by what plugins import: the sources behind them. The program offers them by the same names. */
const sdkEntries = {
  'svc/sdk': 'sdk/index.ts',
  ...Object.fromEntries(
    readdirSync('sdk/entries').map((file) => [`svc/sdk/${file.slice(0, -3)}`, `sdk/entries/${file}`]),
  ),
}
/** ES modules over the program. `sdk/running` is the SDK for foreign plugins that the program runs. */
const doors = {
  'kernel/library.js': 'library',
  'sdk/testing.js': 'testing',
  ...Object.fromEntries(Object.keys(sdkEntries).map((entry) => [`sdk/running/${fileOfEntry(entry)}.js`, entry])),
}
/** Libraries that the kernel and several plugins import: in the program once, for all of them. */
const shared = ['fastest-levenshtein', 'get-east-asian-width', 'marked', 'yaml', 'zod']
/** What the first file hands over to, when a command is really run. */
const fromBin = ['run', 'cli', 'nearest', 'named-folders']
/** Native code, and what brings native programs. */
const native = ['@lydell/node-pty', 'esbuild', sqlite]
/** Needed now and then: in the program they would only have to be read at every start. */
const rare = [
  '@matrix-org/matrix-sdk-crypto-wasm',
  'blessed',
  'cosmiconfig',
  'diff',
  'dotenv',
  'fake-indexeddb',
  'jsonrepair',
  'keyv',
  'semver',
  'tinyglobby',
  'unpdf',
  'ws',
]
/** Large parts that few runs need: files of their own, which the program reads when it comes to them. */
const apart = [
  'plugins/configuration/plugin-manager/migrate/parser.ts',
  'plugins/http/acp/protocol.ts',
  'plugins/http/http/fastify.ts',
  'plugins/mcp/mcp-serve/protocol.ts',
  'plugins/mcp/mcp/protocol.ts',
  'plugins/operations/backups/encryption.ts',
  'plugins/operations/backups/tar.ts',
  'plugins/operations/metrics/prometheus.ts',
  'plugins/operations/tracing/otlp.ts',
  'plugins/terminal-ui/markdown/highlight.ts',
  'plugins/sessions/shared-store/kysely.ts',
  'plugins/providers/auth-cloud/azure.ts',
  'plugins/providers/auth-cloud/google.ts',
  'plugins/providers/provider-bedrock/chain.ts',
  'plugins/providers/provider-copilot-acp/protocol.ts',
  'plugins/sessions/storage-postgres/client.ts',
  'plugins/messaging/platforms/platform-email/imap.ts',
  'plugins/messaging/platforms/platform-email/mime.ts',
  'plugins/messaging/platforms/platform-email/smtp.ts',
  'plugins/tools/tool-image/client.ts',
  'plugins/tools/tool-speech/client.ts',
  'plugins/tools/web/tool-web/reader.ts',
  ...standInsOf('plugins/messaging/platforms'),
]
const common = {
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  logLevel: 'warning',
  legalComments: 'none',
}

if (process.argv.includes('--if-stale') && isFresh()) process.exit(0)
const started = Date.now()
for (const left of readdirSync('.').filter((name) => /^dist\.\d+$/.test(name)))
  if (!isAlive(left.slice(5))) rmSync(left, { recursive: true })
const out = `dist.${process.pid}`
rmSync(out, { recursive: true, force: true })
try {
  await Promise.all([emitTypes(`${out}/types`), bundleProgram(out), buildWebUi(`${out}/web-ui`)])
  await bundleFirst(out)
  writeIndex(out)
  copyReadmes(out)
  writeInstallStamp(out)
  await warmUp(out)
  await bundleSdk(out)
  await writeFacade(out)
  writeDoors(out)
  writeFileSync(join(out, '.built'), String(started))
  replaceDist(out)
} finally {
  rmSync(out, { recursive: true, force: true })
}
process.stderr.write(`built dist in ${((Date.now() - started) / 1000).toFixed(1)} s\n`)

/** The stand-ins of platforms: whole programs, each read when it is rehearsed. */
function standInsOf(dir) {
  const files = readdirSync(dir).map((folder) => `${dir}/${folder}/stand-in/service.ts`)
  return files.filter((file) => existsSync(file))
}

/** Folders of the plugins in all wings, as `[name, folder]`, sorted by name. */
function findPlugins(dir = 'plugins') {
  const folders = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return folders
    .flatMap(({ name }) => {
      const folder = `${dir}/${name}`
      return existsSync(join(folder, 'plugin.json')) ? [[name, folder]] : findPlugins(folder)
    })
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/**
 * Two scripts, which program/load.ts runs from their compiled form: the program, and the plugins that neither a question
 * nor the list of plugins needs, so that most runs do not read those. Nothing in them is evaluated before it is asked
 * for: an entrance and each `import()` evaluates its module and what that imports. The kernel, the SDK and the shared
 * libraries are one function, each plugin is another: the functions at the top level of a bundle are made when it
 * begins, so those of plugins that a run does not need are neither made nor kept in the compiled form.
 */
async function bundleProgram(outdir) {
  const plugins = findPlugins()
  const usual = await usualPlugins(plugins)
  const sdk = Object.entries(sdkEntries).map(([entry, file]) => [entry, `./${file}`])
  const offers = [
    ...Object.entries(entrances),
    ...sdk,
    ...sharedNames().map((library) => [library, `shared:${library}`]),
  ]
  const [core, ...chunks] = await Promise.all([
    bundlePart(offers, outdir),
    ...plugins.map(([, folder]) => bundlePart([['plugin', `./${folder}/index.ts`]], outdir, folder)),
  ])
  const table = (isMeant) =>
    plugins.map(([name], at) => (isMeant(name) ? `'${name}'(exports) {\n${chunks[at]}\n},\n` : '')).join('')
  const program = `(function (exports, require, fileUrl, importOutside, others) {
const chunks = {
${table((name) => usual.has(name))}}
const built = {}
let rest
function builtIn(name) {
  if (!built[name]) {
    chunks[name] ??= (rest ??= others(shared))[name]
    chunks[name]((built[name] = {}))
  }
  return built[name].plugin()
}
const given = {}
function shared(name) {
  return (given[name] ??= exports[name]())
}
(function (exports) {
${core}
})(exports)
})`
  const others = `(function (shared, require, fileUrl, importOutside) {
return {
${table((name) => !usual.has(name))}}
})`
  await esbuild({
    ...common,
    minify: true,
    plugins: [{ name: 'less', setup: leaveOut }],
    entryPoints: apart.filter((file) => existsSync(file)),
    outdir,
    outbase: '.',
    outExtension: { '.js': '.cjs' },
    conditions: ['svc-source'],
    external: [...native, ...rare],
  })
  mkdirSync(join(outdir, 'kernel'), { recursive: true })
  for (const [name, text] of Object.entries({ program, others })) {
    checkCalls(name, text)
    writeFileSync(join(outdir, `kernel/${name}.cjs`), plain(text))
  }
}

/** A library that calls what `tune` leaves out of zod fails when it is used: the file that needs it belongs to `apart`. */
function checkCalls(name, text) {
  const at = text.search(/\(void 0\)\(/)
  if (at < 0) return
  const around = text.slice(Math.max(0, at - 80), at + 80)
  throw new Error(`${name} calls what is left out of it; list the file that needs it in \`apart\`:\n${around}`)
}

/** A text of one byte a character takes half the time and memory; esbuild leaves others in patterns and comments. */
function plain(text) {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The plugins of a question and of `svc plugins`, as the kernel plans them. */
async function usualPlugins(plugins) {
  const { outputFiles } = await esbuild({ ...common, entryPoints: ['kernel/plan.ts'], write: false })
  const planner = { exports: {} }
  new Function('module', 'exports', 'require', outputFiles[0].text)(
    planner,
    planner.exports,
    createRequire(import.meta.url),
  )
  const manifests = plugins.map(([, folder]) => JSON.parse(readFileSync(join(folder, 'plugin.json'), 'utf8')))
  const provided = new Set(manifests.flatMap(({ provides = [] }) => provides))
  const needed = manifests.flatMap(({ requires = [] }) => requires)
  const { load } = planner.exports.plan(
    manifests.map((manifest) => ({ manifest, origin: 'built-in', dir: '' })),
    { names: ['chat', 'plugin-manager'], given: new Set(needed.filter((service) => !provided.has(service))) },
  )
  return new Set(load.map(({ manifest }) => manifest.name))
}

/** What plugins take from the program besides the SDK: libraries, and the rooms of the kit, which many plugins import. */
function sharedNames() {
  return [...shared, ...readdirSync('sdk/kit').map((room) => `svc/sdk/kit/${room}`)]
}

/** A bundle as text. It gives each module by a name of its own, and evaluates it when it is first asked for. */
async function bundlePart(offers, outdir, folder) {
  const lines = offers.map(([name, module]) => `exports['${name}'] = () => require('${module}')`)
  const { outputFiles } = await esbuild({
    ...common,
    stdin: { contents: lines.join('\n'), resolveDir: root, sourcefile: 'program.cjs' },
    conditions: ['svc-source'],
    mainFields: ['module', 'main'],
    external: [...native, ...rare],
    // A script has no `import()` of its own: packages are required, and loader/module-import.ts does the rest.
    supported: { 'dynamic-import': false },
    // Names stay, for stack traces; the rest is read and held at every start.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 200,
    define: { 'import.meta.url': 'fileUrl' },
    write: false,
    plugins: [
      folder ? { name: 'share', setup: (hooks) => share(hooks, folder) } : { name: 'outside', setup: reachOutside },
      { name: 'tune', setup: tune },
      { name: 'apart', setup: (hooks) => keepApart(hooks, outdir) },
    ],
  })
  return cheaper(outputFiles[0].text)
}

/** What stands in the program for loader/module-import.ts: the bundler follows names only. */
function reachOutside(hooks) {
  const contents = `export const importBuiltIn = async (name) => builtIn(name)
export const importAddress = (address) => importOutside(address)
export const importSdk = async (entry) => shared(entry)
export const importZod = async () => shared('zod')`
  hooks.onLoad({ filter: /loader[\\/]module-import\.ts$/ }, () => ({ contents }))
  // Imported, since "require" would choose the CommonJS form of a library, and there would be two of it.
  hooks.onResolve({ filter: /^shared:/ }, ({ path }) => ({ path: path.slice('shared:'.length), namespace: 'shared' }))
  hooks.onLoad({ filter: /.*/, namespace: 'shared' }, ({ path }) => ({
    contents: `export ${usedNames(path)} from '${path}'`,
    resolveDir: root,
  }))
}

/**
 * A plugin takes the SDK and shared libraries from the program, once: the names that its files import are variables of
 * its bundle, which costs nothing where they are used, while a property of an object with hundreds of them would.
 */
function share(hooks, folder) {
  const offered = { 'svc/sdk/testing': 'testing' }
  for (const name of [...Object.keys(sdkEntries), ...sharedNames()]) offered[name] = name
  hooks.onResolve({ filter: /^[\w/-]+$/ }, ({ path, kind }) => {
    if (offered[path] === undefined) return undefined
    return { path, namespace: kind === 'dynamic-import' ? 'shared-late' : 'shared' }
  })
  hooks.onLoad({ filter: /.*/, namespace: 'shared-late' }, ({ path }) => ({
    contents: `module.exports = shared('${offered[path]}')`,
  }))
  hooks.onLoad({ filter: /.*/, namespace: 'shared' }, ({ path }) => ({
    contents: `export const { ${importedNames(folder, path).join(', ')} } = shared('${offered[path]}')`,
  }))
}

/** What plugins import from a package or a room of the kit, as an export clause: the rest of it may be left out. */
function usedNames(from) {
  const folders = findPlugins().map(([, folder]) => folder)
  // An `import()` gives the whole module, and which of its names are read then is not known here.
  const isWhole = folders.flatMap(sourcesOf).some((text) => text.includes(`import('${from}')`))
  return isWhole ? '*' : `{ ${[...new Set(folders.flatMap((folder) => importedNames(folder, from)))].join(', ')} }`
}

/** Names that the files of a plugin import from a package. The bundler complains of one that is overlooked. */
function importedNames(folder, from) {
  const statement = new RegExp(`(?:import|export)\\s*\\{([^}]*)\\}\\s*from '${from}'`, 'g')
  const lists = sourcesOf(folder).flatMap((text) => [...text.matchAll(statement)])
  const names = lists.flatMap(([, list]) => list.split(',')).map((name) => name.trim().split(' as ')[0])
  return [...new Set(names.filter((name) => /^\w+$/.test(name)))]
}

/** The texts of the sources of a plugin. */
function sourcesOf(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  return files.map((file) => readFileSync(join(folder, file), 'utf8'))
}

/** Data and `apart` are left out of the program and lie beside it. */
function keepApart(hooks, outdir) {
  hooks.onResolve({ filter: /\.json$/ }, ({ path, resolveDir }) => {
    const file = relative(root, resolve(resolveDir, path))
    if (!file.startsWith('plugins')) return undefined
    mkdirSync(dirname(join(outdir, file)), { recursive: true })
    copyFileSync(file, join(outdir, file))
    return { path: `../${file.replaceAll('\\', '/')}`, external: true }
  })
  hooks.onResolve({ filter: /^\.\/[\w/-]+\.ts$/ }, ({ path, resolveDir }) => {
    const file = relative(root, resolve(resolveDir, path)).replaceAll('\\', '/')
    return apart.includes(file) ? { path: `../${file.replace(/ts$/, 'cjs')}`, external: true } : undefined
  })
}

/** The first file has help and discovery inside. It and the doors share one loader, so that there is one program. */
async function bundleFirst(outdir) {
  const hash = createHash('sha256')
  for (const name of ['program', 'others']) hash.update(readFileSync(join(outdir, `kernel/${name}.cjs`)))
  const digest = hash.digest('hex').slice(0, 8)
  const bundle = (name, define, external) =>
    esbuild({
      ...common,
      entryPoints: [`program/${name}.ts`],
      outfile: `${outdir}/kernel/${name}.cjs`,
      define,
      external,
      banner: { js: "const fileUrl = require('node:url').pathToFileURL(__filename).href" },
      plugins: [{ name: 'hand-over', setup: handOver }],
    })
  await Promise.all([
    bundle('bin', { 'import.meta.url': 'fileUrl' }, ['semver']),
    bundle('load', { 'import.meta.dirname': '__dirname', PROGRAM_HASH: JSON.stringify(digest) }, []),
  ])
}

function handOver(hooks) {
  hooks.onResolve({ filter: new RegExp(`/(${fromBin.join('|')})\\.ts$`) }, ({ path }) => ({
    path: basename(path, '.ts'),
    namespace: 'hand-over',
  }))
  hooks.onLoad({ filter: /.*/, namespace: 'hand-over' }, ({ path }) => ({
    contents: `module.exports = require('./load.cjs').program['${path}']()`,
  }))
  hooks.onResolve({ filter: /^\.\/load\.cjs$/ }, ({ path }) => ({ path, external: true }))
}

/** What other programs and foreign plugins import: the exports of the program, by name. */
function writeDoors(outdir) {
  const { program } = createRequire(import.meta.url)(resolve(outdir, 'kernel/load.cjs'))
  for (const [file, entrance] of Object.entries(doors)) {
    const names = Object.keys(program[entrance]())
    const up = '../'.repeat(file.split('/').length - 1)
    const head = [
      "import { createRequire } from 'node:module'",
      `const { program } = createRequire(import.meta.url)('${up}kernel/load.cjs')`,
    ]
    const body = `export const {\n${names.map((name) => `  ${name},\n`).join('')}} = program['${entrance}']()`
    mkdirSync(dirname(join(outdir, file)), { recursive: true })
    writeFileSync(join(outdir, file), `${[...head, body].join('\n')}\n`)
  }
}

/**
 * The SDK and the rooms of its kit for other programs. They keep no state, so they stand alone and do not load the
 * program: tokens are compared by their ids. What `svc/sdk` consists of is one file, as each file costs an import of it
 * about half a millisecond; the other entry points import that file and share the rest. Of the libraries, only what npm
 * installs with svc is imported: the others are in these files, late ones in a part of their own.
 */
async function bundleSdk(outdir) {
  const rooms = readdirSync('sdk/kit')
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const options = { ...common, format: 'esm', external: Object.keys(dependencies) }
  const index = sdkEntries['svc/sdk']
  const { metafile } = await esbuild({ ...options, entryPoints: [index], metafile: true, write: false })
  const core = Object.keys(metafile.inputs).filter((file) => file !== index)
  const isCore = new Set(core.map((file) => resolve(file)))
  await Promise.all([
    esbuild({
      ...options,
      minifyWhitespace: true,
      stdin: { contents: core.map((file) => `export * from './${file}'`).join('\n'), resolveDir: root },
      outfile: `${outdir}/sdk/core.js`,
    }),
    esbuild({
      ...options,
      splitting: true,
      minifyWhitespace: true,
      chunkNames: 'part-[hash]',
      entryPoints: Object.entries(sdkEntries).map(([entry, file]) => ({ in: file, out: fileOfEntry(entry) })),
      outdir: `${outdir}/sdk`,
      plugins: [{ name: 'core', setup: (hooks) => importCore(hooks, isCore) }],
    }),
    esbuild({
      ...options,
      splitting: true,
      chunkNames: 'part-[hash]',
      entryPoints: rooms.map((room) => ({ in: `sdk/kit/${room}/index.ts`, out: room })),
      outdir: `${outdir}/sdk/kit`,
    }),
  ])
  // A name that two files export is in none of their joint exports: importing all shows it.
  for (const entry of Object.keys(sdkEntries))
    await import(pathToFileURL(resolve(outdir, `sdk/${fileOfEntry(entry)}.js`)).href)
}

function importCore(hooks, isCore) {
  hooks.onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir, kind }) =>
    kind === 'import-statement' && isCore.has(resolve(resolveDir, path))
      ? { path: './core.js', external: true }
      : undefined,
  )
}

/** The names of SDK 0.1 for authors who have not migrated yet: as a module, and as types. */
async function writeFacade(outdir) {
  copyFileSync('sdk/renames.json', join(outdir, 'sdk/renames.json'))
  const renames = JSON.parse(readFileSync('sdk/renames.json', 'utf8'))
  const values = new Map()
  for (const entry of new Set(renames.map((each) => each.entry))) {
    const module = await import(pathToFileURL(resolve(outdir, `sdk/${fileOfEntry(entry)}.js`)).href)
    values.set(entry, new Set(Object.keys(module)))
  }
  const line = ({ old, new: name, entry }, from) =>
    `export { ${name} as ${old} } from './${from(fileOfEntry(entry))}.js'`
  const typed = renames.map((each) =>
    line(each, (file) => (file === 'index' ? file : file.startsWith('kit/') ? `${file}/index` : `entries/${file}`)),
  )
  const valued = renames
    .filter((each) => values.get(each.entry).has(each.new))
    .map((each) => line(each, (file) => file))
  const text = (lines) => ["export * from './index.js'", ...lines, ''].join('\n')
  writeFileSync(join(outdir, 'sdk/facade-0.1.js'), text(valued))
  writeFileSync(join(outdir, 'types/sdk/facade-0.1.d.ts'), text(typed))
}

/** `svc/sdk` is `index`, `svc/sdk/web` is `web`. */
function fileOfEntry(entry) {
  return entry === 'svc/sdk' ? 'index' : entry.slice('svc/sdk/'.length)
}

/**
 * One run of the built program leaves behind, compiled, what a conversation needs: with a model that says one word. The
 * first one only makes the home, as most runs find one.
 */
async function warmUp(dist) {
  const home = mkdtempSync(join(tmpdir(), 'svc-build-'))
  const model = createServer((_request, response) => {
    const choice = { index: 0, delta: { content: 'ready' }, finish_reason: 'stop' }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`)
  })
  try {
    await new Promise((done) => model.listen(0, '127.0.0.1', done))
    const url = `http://127.0.0.1:${model.address().port}/v1`
    writeFileSync(join(home, 'config.yaml'), `model:\n  provider: custom\n  base_url: ${url}\n  default: any\n`)
    const command = (...args) =>
      run([resolve(dist, 'kernel/bin.cjs'), ...args], {
        cwd: home,
        env: { PATH: process.env.PATH, HOME: home, SVC_HOME: home },
      })
    const kernel = join(dist, 'kernel')
    for (let count = 0; count < 2; count++) {
      for (const name of readdirSync(kernel)) if (name.endsWith('.cache')) rmSync(join(kernel, name))
      await command('chat', '-q', 'are you ready')
    }
    // Its plugin is one of the others: a gateway would have to keep their compiled form when it is told to end.
    await command('sessions', 'list')
  } finally {
    model.close()
    rmSync(home, { recursive: true, force: true })
  }
}

/** Runs a Node program to its end; fails with what it said. */
function run(args, options) {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
    child.on('error', fail)
    child.on('exit', (code) => (code === 0 ? done() : fail(new Error(`node ${args.join(' ')} failed:\n${said}`))))
  })
}

function emitTypes(outDir) {
  const tsc = join('node_modules', 'typescript', 'bin', 'tsc')
  return run([tsc, '-p', 'tsconfig.build.json', '--outDir', outDir])
}

/** The folder is replaced in one step, so that a run beside the build never sees half of it. */
function replaceDist(fresh) {
  const old = `${fresh}.old`
  if (existsSync('dist')) renameSync('dist', old)
  renameSync(fresh, 'dist')
  rmSync(old, { recursive: true, force: true })
}

/** Whether a build with this process id is under way. */
function isAlive(pid) {
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function isFresh() {
  if (!existsSync(stamp)) return false
  const built = Number(readFileSync(stamp, 'utf8'))
  const files = ['kernel', 'home', 'loader', 'program', 'sdk', 'plugins'].flatMap((dir) => {
    return readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((file) => join(dir, file))
  })
  return [...files, 'package.json', '.ci/build.mjs', '.ci/trim.mjs', '.ci/web-ui.mjs', 'tsconfig.json'].every(
    (file) => statSync(file).mtimeMs < built,
  )
}

/** What the desktop pins an installation to. Without git there is none: then it takes a digest. */
function writeInstallStamp(outdir) {
  const ask = (...words) => {
    const { status, stdout } = spawnSync('git', words, { encoding: 'utf8' })
    return status === 0 ? stdout.trim() : undefined
  }
  const commit = ask('rev-parse', 'HEAD')
  if (commit === undefined) return
  const branch = ask('rev-parse', '--abbrev-ref', 'HEAD')
  const facts = {
    schemaVersion: 1,
    commit,
    branch: branch === 'HEAD' ? null : (branch ?? null),
    builtAt: new Date(started).toISOString(),
    dirty: ask('status', '--porcelain') !== '',
    source: process.env.CI ? 'ci' : 'local',
  }
  writeFileSync(join(outdir, 'install-stamp.json'), `${JSON.stringify(facts)}\n`)
}

/** The documentation of each plugin, where a plugin of its own has it. */
function copyReadmes(outdir) {
  for (const [name, folder] of findPlugins()) {
    if (!existsSync(`${folder}/README.md`)) continue
    mkdirSync(join(outdir, 'plugins', name), { recursive: true })
    copyFileSync(`${folder}/README.md`, join(outdir, 'plugins', name, 'README.md'))
  }
}

function writeIndex(outdir) {
  const manifests = findPlugins().map(([, folder]) => JSON.parse(readFileSync(`${folder}/plugin.json`, 'utf8')))
  mkdirSync(join(outdir, 'plugins'), { recursive: true })
  writeFileSync(join(outdir, 'plugins/index.json'), JSON.stringify(manifests))
}
