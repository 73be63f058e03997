/**
 * Builds `dist`: one entry per built-in plugin, one shared chunk for the SDK, the index of manifests, and the types.
 * `--if-stale` does nothing when no source is newer than the last build.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
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
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build as esbuild } from 'esbuild'

const root = resolve(import.meta.dirname, '..')
process.chdir(root)
const stamp = 'dist/.built'
/** What the first file hands over to: ES modules, loaded only when a command is really run. */
const fromBin = ['run', 'cli', 'nearest']
/** Each of these becomes one CommonJS file in `dist/vendor`, which kernel/vendor.ts runs from its compiled form. */
const vendors = ['zod', 'yaml', 'awilix', 'tapable', 'cac']
/** zod would write and compile code for each schema, which pays off after thousands of values, not at start. */
const tuned = { zod: `\nimport { config } from 'zod'\nconfig({ jitless: true })` }

if (process.argv.includes('--if-stale') && isFresh()) process.exit(0)
const started = Date.now()
for (const left of readdirSync('.').filter((name) => /^dist\.\d+$/.test(name)))
  if (!isAlive(left.slice(5))) rmSync(left, { recursive: true })
const out = `dist.${process.pid}`
rmSync(out, { recursive: true, force: true })
try {
  await Promise.all([emitTypes(`${out}/types`), bundle(out), bundleBin(out), bundleVendors(out)])
  writeIndex(out)
  warmUp(out)
  writeFileSync(join(out, '.built'), String(started))
  replaceDist(out)
} finally {
  rmSync(out, { recursive: true, force: true })
}
process.stderr.write(`built dist in ${((Date.now() - started) / 1000).toFixed(1)} s\n`)

function pluginNames() {
  return readdirSync('plugins')
    .filter((name) => existsSync(join('plugins', name, 'plugin.json')))
    .sort()
}

async function bundle(outdir) {
  const entries = [...fromBin.map((name) => `kernel/${name}`), 'kernel/library', 'sdk/index', 'sdk/testing']
  const plugins = pluginNames().map((name) => `plugins/${name}/index`)
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const external = ['better-sqlite3', '@lydell/node-pty', 'blessed', 'esbuild', 'chokidar'].filter(
    (name) => name in dependencies,
  )
  await esbuild({
    entryPoints: Object.fromEntries([...entries, ...plugins].map((entry) => [entry, `${entry}.ts`])),
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['svc-source'],
    mainFields: ['module', 'main'],
    external,
    chunkNames: 'chunks/[name]-[hash]',
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
    banner: { js: "import{createRequire as svcRequire}from'node:module';const require=svcRequire(import.meta.url);" },
    plugins: [
      { name: 'vendor', setup: useVendor },
      { name: 'leave-out', setup: leaveOut },
    ],
  })
}

async function bundleVendors(outdir) {
  const entries = vendors.map((name) =>
    esbuild({
      stdin: { contents: `export * from '${name}'${tuned[name] ?? ''}`, resolveDir: root },
      outfile: `${outdir}/vendor/${name}.cjs`,
      bundle: true,
      format: 'cjs',
      platform: 'node',
      target: 'node20.19',
      logLevel: 'warning',
      plugins: [{ name: 'leave-out', setup: leaveOut }],
    }),
  )
  await Promise.all(entries)
}

/** `import { z } from 'zod'` takes `z` from what kernel/vendor.ts returns. */
function useVendor(hooks) {
  const filter = new RegExp(`^(${vendors.join('|')})$`)
  hooks.onResolve({ filter }, ({ path }) => ({ path, namespace: 'vendor' }))
  hooks.onLoad({ filter: /.*/, namespace: 'vendor' }, async ({ path }) => {
    const names = Object.keys(await import(path)).filter((name) => name !== 'default' && name !== 'module.exports')
    const lines = names.map((name, at) => `const v${at} = library.${name}\nexport { v${at} as ${name} }`)
    const head = `import { loadVendor } from './kernel/vendor.ts'\nconst library = loadVendor('${path}')`
    return { contents: [head, ...lines, 'export default library.default ?? library'].join('\n'), resolveDir: root }
  })
}

/** The first file is CommonJS with help and discovery inside: the ES module loader costs more than all they do. */
async function bundleBin(outdir) {
  await esbuild({
    entryPoints: ['kernel/bin.ts'],
    outfile: `${outdir}/kernel/bin.cjs`,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
    define: { 'import.meta.url': 'fileUrl' },
    banner: { js: "const fileUrl = require('node:url').pathToFileURL(__filename).href" },
    external: ['semver'],
    plugins: [{ name: 'hand-over', setup: handOver }],
  })
}

function handOver(hooks) {
  const filter = new RegExp(`^\\./(${fromBin.join('|')})\\.ts$`)
  hooks.onResolve({ filter }, ({ path }) => ({ path: path.replace('.ts', '.js'), external: true }))
}

/** One run of the built program leaves the compiled libraries behind for the next. */
function warmUp(dist) {
  const home = mkdtempSync(join(tmpdir(), 'svc-build-'))
  const env = { PATH: process.env.PATH, HOME: home, SVC_HOME: home }
  writeFileSync(join(home, 'config.yaml'), 'model:\n  provider: demo\n  default: demo\n')
  const args = [resolve(dist, 'kernel/bin.cjs'), 'chat', '-q', 'what is 1 + 1']
  const { status, stderr } = spawnSync(process.execPath, args, { env, cwd: home, encoding: 'utf8' })
  rmSync(home, { recursive: true, force: true })
  if (status !== 0) throw new Error(`what was built does not run:\n${stderr}`)
}

/** What libraries bring for features that are not used: awilix a file finder, zod fifty languages of messages. */
function leaveOut(hooks) {
  hooks.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
    contents: 'export { default as en } from "./en.js"',
  }))
  hooks.onResolve({ filter: /^fast-glob$/ }, () => ({ path: 'fast-glob', namespace: 'left-out' }))
  hooks.onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'export default {}' }))
}

function emitTypes(outDir) {
  const tsc = join('node_modules', 'typescript', 'bin', 'tsc')
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', outDir], { stdio: 'inherit' })
    child.on('exit', (code) => (code === 0 ? done() : fail(new Error('the types do not build; see above'))))
  })
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
  const files = ['kernel', 'sdk', 'plugins'].flatMap((dir) => {
    return readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((file) => join(dir, file))
  })
  return [...files, 'package.json', '.ci/build.mjs', 'tsconfig.json'].every((file) => statSync(file).mtimeMs < built)
}

function writeIndex(outdir) {
  const manifests = pluginNames().map((name) => JSON.parse(readFileSync(`plugins/${name}/plugin.json`, 'utf8')))
  mkdirSync(join(outdir, 'plugins'), { recursive: true })
  writeFileSync(join(outdir, 'plugins/index.json'), JSON.stringify(manifests))
}
