/**
 * Makes a foreign plugin folder runnable. Node keeps every module it has imported, so a changed folder needs a new
 * address: the folder is bundled (TypeScript too) under a name made of its contents. Unchanged contents are found again.
 */
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { BuildOptions, PluginBuild } from 'esbuild'
import { withoutSecrets } from '../home/hidden-environment.ts'
import type { Seal } from '../home/seal.ts'
import { errorMessage, SvcError } from '../sdk/errors.ts'
import { SDK_VERSION } from './manifest.ts'
import { describeMissingNames } from './missing-names.ts'
import { hashSources, listSources, nameBundle } from './plugin-sources.ts'
import { acceptsOldNames, oldSdk, sdkAddress, sdkPaths, usedCodes } from './sdk-facade.ts'
import { writeScript } from './user-plugin-script.ts'

/** While an editor writes its files. */
const MAX_TRIES = 5

/** Where bundles are stored, and the seal that identifies those made by svc. */
export interface BundleStore {
  readonly cache: string
  readonly seal: Seal
  /** Called for a bundle that was modified from outside, before it is rebuilt. */
  readonly onTampered: (out: string) => void
  /** Called with the codes of the renamed names of the SDK that a new bundle uses. */
  readonly onOldNames?: (codes: readonly string[]) => void
}

/**
 * The address to import the plugin in `dir` from; bundles it when its contents are new. A bundle that is there is used
 * only when it is what svc wrote for these contents.
 */
export async function stage(dir: string, store: BundleStore, tries = 1): Promise<string> {
  const { cache, seal, onTampered, onOldNames } = store
  const entry = findEntryFile(dir)
  const out = join(cache, nameBundle(dir, hashSources(dir)))
  const mark = `${out}.mark`
  if (existsSync(out) && !isOwn(out, mark, seal)) {
    // A bundle without a seal was made by an earlier version or by someone else: it is not trusted.
    if (existsSync(mark)) onTampered(out)
    rmSync(out, { recursive: true, force: true })
  }
  if (!existsSync(out)) {
    // The mark comes first: another process must not find a bundle without one.
    const isMade = await bundle(dir, entry, out, (made) =>
      writeFileSync(mark, seal.mark(bundleText(made, basename(out))), { mode: 0o600 }),
    )
    if (!isMade && tries < MAX_TRIES) return stage(dir, store, tries + 1)
    if (!isMade) throw new SvcError('PLUGIN_FAILED', `${dir} was changed each time that it was bundled.`)
    const codes = usedCodes(out)
    if (codes.length > 0) onOldNames?.(codes)
  }
  return pathToFileURL(join(out, 'index.js')).href
}

function isOwn(out: string, mark: string, seal: Seal): boolean {
  return existsSync(mark) && seal.holds(bundleText(out, basename(out)), readFileSync(mark, 'utf8'))
}

/** Everything that a bundle is: names and contents, and its name, so that no bundle passes for another. */
function bundleText(folder: string, name: string): string {
  const hash = createHash('sha256').update(name)
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, file)
    hash.update(`\0${file}\0`)
    if (lstatSync(path).isFile()) hash.update(readFileSync(path))
  }
  return hash.digest('hex')
}

function findEntryFile(dir: string): string {
  const own = existsSync(join(dir, 'package.json'))
    ? (JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as { svc?: unknown; main?: unknown })
    : {}
  const named = [own.svc, own.main].filter((name) => typeof name === 'string')
  const entry = [...named, 'index.ts', 'index.js', 'index.mjs', 'index.cjs'].find((name) => existsSync(join(dir, name)))
  if (entry) return join(dir, entry)
  throw new SvcError('PLUGIN_MANIFEST', `${dir} has no index.ts or index.js beside its plugin.json.`)
}

let builds = 0

/**
 * Packages stay outside the bundle, by their absolute address; the SDK is the running one. False when the folder was changed
 * meanwhile, so that the bundle may not be what `out` names.
 */
async function bundle(dir: string, entry: string, out: string, onBuilt: (made: string) => void): Promise<boolean> {
  const { build } = await import('esbuild')
  const facade = (await acceptsOldNames(readSdkRange(dir))) ? await oldSdk() : undefined
  // Two calls of one process build the same folder at once.
  const temporary = `${out}.${process.pid}-${++builds}`
  mkdirSync(temporary, { recursive: true })
  try {
    const options: BuildOptions = {
      entryPoints: { index: entry },
      outdir: temporary,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      sourcemap: 'inline',
      logLevel: 'silent',
      define: {
        'import.meta.url': JSON.stringify(pathToFileURL(entry).href),
        'import.meta.dirname': JSON.stringify(dir),
      },
      plugins: [{ name: 'packages', setup: (hooks) => outside(hooks, entry, facade) }],
    }
    // The first build starts a process that stays as long as this one, and any program can read its variables.
    await withoutSecrets(() => build(options))
    const texts = () => new Map(listSources(dir).map((file) => [file, readFileSync(join(dir, file), 'utf8')]))
    const missing = await describeMissingNames(temporary, basename(dir), texts)
    if (missing !== undefined) throw new Error(missing)
    await withoutSecrets(() => writeScript({ entryPoints: [entry], define: options.define ?? {} }, temporary, facade))
    if (nameBundle(dir, hashSources(dir)) !== basename(out)) return false
    onBuilt(temporary)
    if (!existsSync(out)) renameSync(temporary, out)
    return true
  } catch (cause) {
    throw new SvcError('PLUGIN_FAILED', `${relative(process.cwd(), dir) || dir}: ${errorMessage(cause)}`, { cause })
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** The versions of the SDK that its manifest names. */
function readSdkRange(dir: string): string {
  const file = join(dir, 'plugin.json')
  const { sdk } = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { sdk?: unknown }) : {}
  return typeof sdk === 'string' ? sdk : `^${SDK_VERSION}`
}

/**
 * Packages are found as Node finds them from the plugin's file, else from the program's own (zod, say). `facade` is what
 * `svc/sdk` is for a plugin of an earlier SDK.
 */
function outside(hooks: PluginBuild, entry: string, facade: string | undefined): void {
  if (facade !== undefined) {
    hooks.onResolve({ filter: /.*/, namespace: FACADE }, ({ path }) => ({ path, external: true, sideEffects: false }))
    hooks.onResolve({ filter: /^svc\/sdk$/ }, ({ path }) => ({ path, namespace: FACADE }))
    hooks.onLoad({ filter: /.*/, namespace: FACADE }, () => ({ contents: facade }))
  }
  hooks.onResolve({ filter: /.*/, namespace: REQUIRED }, ({ path }) => ({ path, external: true }))
  hooks.onLoad({ filter: /.*/, namespace: REQUIRED }, ({ pluginData }) => ({ contents: requiredModule(pluginData) }))
  /** A call of `require` gets a module of the bundle, since a bundle of ES modules has no such function. */
  const leave = (address: string, kind: string) =>
    kind === 'require-call' || kind === 'require-resolve'
      ? { path: `${address}.cjs`, namespace: REQUIRED, pluginData: address }
      : { path: address, external: true }
  hooks.onResolve({ filter: /^[^./]/ }, async (asked) => {
    if (asked.path === entry || asked.pluginData === resolving) return undefined
    const own = ownAddress(asked.path)
    if (own) return leave(own, asked.kind)
    if (/^svc\/sdk\//.test(asked.path))
      return { errors: [{ text: `There is no "${asked.path}"; a plugin can import ${sdkPaths().join(', ')}.` }] }
    for (const resolveDir of [asked.resolveDir, fileURLToPath(new URL('.', import.meta.url))]) {
      const found = await hooks.resolve(asked.path, { resolveDir, kind: asked.kind, pluginData: resolving })
      if (!found.errors.length) return leave(pathToFileURL(found.path).href, asked.kind)
    }
    return {
      errors: [{ text: `The package "${asked.path}" is not installed; run npm install in the plugin's folder.` }],
    }
  })
}

const resolving: unique symbol = Symbol('resolving')
/** Namespace of the module that stands for an earlier `svc/sdk`. */
const FACADE = 'earlier-sdk'

/** Namespace of modules that CommonJS code requires. */
const REQUIRED = 'required'

/** The SDK is imported, so that there is one of it. Anything else is required as Node would, by its path. */
function requiredModule(address: string): string {
  if (sdkAddresses().includes(address)) return `import * as all from ${JSON.stringify(address)}\nmodule.exports = all`
  const name = address.startsWith('file:') ? fileURLToPath(address) : address
  // The name is complete, so the place does not matter; `import.meta` would make it an ES module, without `module`.
  return `import { createRequire } from 'node:module'\nmodule.exports = createRequire(process.execPath)(${JSON.stringify(name)})`
}

function sdkAddresses(): (string | undefined)[] {
  return sdkPaths().map((path) => sdkAddress(path))
}

/** The running SDK and what Node brings. */
function ownAddress(path: string): string | undefined {
  return sdkAddress(path) ?? (isBuiltin(path) ? `node:${path.replace(/^node:/, '')}` : undefined)
}
