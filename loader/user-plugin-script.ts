/**
 * The form of a plugin of a user in which many of them can be one script: CommonJS, with the SDK, zod and modules of Node
 * as all it requires. A plugin that is written otherwise has no such form and is imported on its own.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, PluginBuild } from 'esbuild'
import { importZod } from './module-import.ts'
import { sdkAddress, sdkPaths } from './sdk-facade.ts'

/** Files of a bundle: the script, its source map, and what is known of it. */
export const packFiles = { script: 'script.cjs', map: 'script.cjs.map', facts: 'script.json' } as const

/** What is known of a script. */
export interface ScriptFacts {
  /** What it requires. */
  readonly needs: readonly string[]
  /**
   * It opens no socket, program or other source of later calls: its own frames are in the stack
   * of whatever goes wrong in it, so that its promises need not be followed.
   */
  readonly isQuiet: boolean
}

/** Modules of Node that open nothing which outlives a call. */
const quietModules = new Set(
  'assert buffer crypto fs/promises os path perf_hooks process punycode querystring string_decoder url util'
    .split(' ')
    .map((name) => `node:${name}`),
)

/** Of zod: it changes the library itself, or makes schemas that contain themselves, for which ours is not built. */
const ownZodOnly = /^(config|core|getErrorMap|globalRegistry|json|lazy|locales|registry|setErrorMap)$/

/**
 * Writes the script of a plugin into `folder`, unless it has none. `facade`: what `svc/sdk` is for a plugin of an earlier
 * SDK, as the text of a module.
 */
export async function writeScript(
  options: Pick<BuildOptions, 'entryPoints' | 'define'>,
  folder: string,
  facade: string | undefined,
): Promise<void> {
  const { build } = await import('esbuild')
  const needs = new Set<string>()
  const made = await build({
    ...options,
    outfile: join(folder, packFiles.script),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    sourcemap: 'external',
    sourcesContent: false,
    supported: { 'dynamic-import': false },
    logLevel: 'silent',
    plugins: [{ name: 'pack', setup: (hooks) => leaveOutside(hooks, needs, facade) }],
  }).catch(() => undefined)
  if (!made || made.warnings.length > 0) return
  if (needs.has('zod') && !(await isZodShared(readFileSync(join(folder, packFiles.script), 'utf8')))) return
  const outside = [...needs].filter((name) => name.startsWith('node:'))
  const facts: ScriptFacts = { needs: [...needs], isQuiet: outside.every((name) => quietModules.has(name)) }
  writeFileSync(join(folder, packFiles.facts), JSON.stringify(facts))
}

/** The facts of the script of a bundle; undefined where it has none. */
export function readScriptFacts(folder: string): ScriptFacts | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, packFiles.facts), 'utf8')) as ScriptFacts
  } catch {
    return undefined
  }
}

const FACADE = 'earlier-sdk'
const resolving: unique symbol = Symbol('resolving')

/** The build fails for anything else, and then there is no script. */
function leaveOutside(hooks: PluginBuild, needs: Set<string>, facade: string | undefined): void {
  const entries = sdkPaths().filter((path) => /^svc\/sdk(\/\w+)?$/.test(path) && path !== 'svc/sdk/testing')
  const leave = (path: string) => {
    needs.add(path)
    return { path, external: true, sideEffects: false }
  }
  if (facade !== undefined) {
    hooks.onResolve({ filter: /.*/, namespace: FACADE }, ({ path }) => {
      const entry = entries.find((each) => sdkAddress(each) === path)
      return entry === undefined ? { errors: [{ text: path }] } : leave(entry)
    })
    hooks.onResolve({ filter: /^svc\/sdk$/ }, ({ path }) => ({ path, namespace: FACADE }))
    hooks.onLoad({ filter: /.*/, namespace: FACADE }, () => ({ contents: facade }))
  }
  hooks.onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, pluginData }) => {
    if (kind === 'entry-point' || pluginData === resolving) return undefined
    if (entries.includes(path)) return leave(path)
    if (isBuiltin(path)) return leave(`node:${path.replace(/^node:/, '')}`)
    if (path !== 'zod') return { errors: [{ text: path }] }
    const find = (from: string) => hooks.resolve(path, { resolveDir: from, kind, pluginData: resolving })
    const [own, ours] = [await find(resolveDir), await find(fileURLToPath(new URL('.', import.meta.url)))]
    return own.errors.length > 0 || own.path === ours.path ? leave(path) : { errors: [{ text: path }] }
  })
}

/** Whether a script uses of zod only what the zod of the program has and does in the same way. */
async function isZodShared(script: string): Promise<boolean> {
  const { z: offered } = await importZod()
  const names = [...script.matchAll(/\b(\w+) = (?:__toESM\()?require\("zod"\)/g)].map(([, name]) => name ?? '')
  if (/\bget\s+["'[\w$]+\]?\s*\(/.test(script)) return false
  return names.every((name) => {
    const uses = [
      ...script.matchAll(new RegExp(`(?<![.\\w$])${name}\\b(?! = )(?:\\.(?:z|default)\\b)?(?:\\.(\\w+))?`, 'g')),
    ]
    return uses.every(([, used]) => used !== undefined && used in offered && !ownZodOnly.test(used))
  })
}
