/** Finds plugins by their `plugin.json`, from all origins. No plugin code runs. */
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PluginRecord } from '../kernel/plugin-record.ts'
import { errorMessage } from '../sdk/errors.ts'
import type { Manifest } from '../sdk/manifest.ts'
import type { PluginOrigin } from '../sdk/plugins.ts'
import { manifestProblem, sdkProblem } from './manifest.ts'

/** Where the built-in plugins are: beside this folder, in the sources and in `dist`. */
const builtInRoot: string = fileURLToPath(new URL('../plugins', import.meta.url))

let known: readonly PluginRecord[] | undefined

/** The built-in plugins. They are read once: those of another version run in another process. */
export function builtIns(): readonly PluginRecord[] {
  known ??= readBuiltIns()
  return known
}

/** From the index that the build writes, else from their folders. */
function readBuiltIns(): PluginRecord[] {
  const index = join(builtInRoot, 'index.json')
  if (!existsSync(index))
    return inWings(builtInRoot)
      .map((dir) => inspect(dir, 'built-in'))
      .sort(byName)
  const manifests: Manifest[] = JSON.parse(readFileSync(index, 'utf8'))
  return manifests.map((manifest) => ({ manifest, origin: 'built-in', dir: join(builtInRoot, manifest.name) }))
}

const byName = (a: PluginRecord, b: PluginRecord): number => (a.manifest.name < b.manifest.name ? -1 : 1)

/** Folders with a `plugin.json`. Any other folder is a wing, which holds plugins or wings. */
function inWings(dir: string): string[] {
  if (existsSync(join(dir, 'plugin.json'))) return [dir]
  const inside = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return inside.flatMap(({ name }) => inWings(join(dir, name)))
}

/** The plugins that a user brought: in the home, from npm, and of the project when that is allowed. */
export async function foreign(home: string, projectDir: string | undefined): Promise<PluginRecord[]> {
  const found = [...scan(join(home, 'plugins'), 'home'), ...findInstalled(join(home, 'npm'))]
  if (projectDir) found.push(...scan(join(projectDir, '.svc', 'plugins'), 'project'))
  return Promise.all(
    found.map(async (plugin) => {
      const problem = plugin.problem ?? (await sdkProblem(plugin.manifest))
      return problem ? { ...plugin, problem } : plugin
    }),
  )
}

/** The folder that plugins are in: read once for all of them. */
export interface Root {
  readonly path: string
  /** Without links. */
  readonly real: string
  readonly stat: Stats
}

export function readRoot(path: string): Root {
  return { path, real: realpathSync.native(path), stat: statSync(path) }
}

/** One folder as a plugin, checked like any other; `root` is what it must not escape, none for what is built in. */
export function inspect(dir: string, origin: PluginOrigin, root?: Root): PluginRecord {
  try {
    const unsafe = root && unsafeFolder(dir, root, origin)
    if (unsafe) return createRefused(dir, origin, unsafe)
    const manifest: unknown = JSON.parse(readFileSync(join(dir, 'plugin.json'), 'utf8'))
    const problem = manifestProblem(manifest)
    return problem ? createRefused(dir, origin, problem) : { manifest: manifest as Manifest, origin, dir }
  } catch (error) {
    return createRefused(dir, origin, `plugin.json cannot be read: ${errorMessage(error)}`)
  }
}

/** Known by its folder only. */
function createRefused(dir: string, origin: PluginOrigin, problem: string): PluginRecord {
  const manifest = { name: basename(dir), version: '0.0.0', sdk: '*', kind: 'unknown', description: 'not readable' }
  return { manifest, origin, dir, problem }
}

/** `SVC_ENABLE_PROJECT_PLUGINS`: `1|true|yes|on` in any case is on; everything not plainly off is off with a warning. */
export function projectPluginsEnabled(value: string | undefined): { on: boolean; warning?: string } {
  const typed = (value ?? '').trim().toLowerCase()
  if (['1', 'true', 'yes', 'on'].includes(typed)) return { on: true }
  if (['', '0', 'false', 'no', 'off'].includes(typed)) return { on: false }
  const warning = `SVC_ENABLE_PROJECT_PLUGINS is "${value}", which is neither on (1, true, yes, on) nor off; it counts as off.`
  return { on: false, warning }
}

function scan(root: string, origin: PluginOrigin): PluginRecord[] {
  if (!existsSync(root)) return []
  const facts = readRoot(root)
  return folders(root)
    .filter((name) => name !== 'node_modules')
    .map((name) => inspect(join(root, name), origin, facts))
}

/** npm packages with the keyword `svc-plugin` that `svc plugins install` installed. */
function findInstalled(root: string): PluginRecord[] {
  const list = join(root, 'package.json')
  if (!existsSync(list)) return []
  const modules = join(root, 'node_modules')
  try {
    const { dependencies = {} } = JSON.parse(readFileSync(list, 'utf8')) as { dependencies?: Record<string, string> }
    return Object.keys(dependencies).flatMap((name) => findPackage(join(modules, name), modules))
  } catch (error) {
    return [createRefused(root, 'npm', `package.json cannot be read: ${errorMessage(error)}`)]
  }
}

function findPackage(dir: string, modules: string): PluginRecord[] {
  const file = join(dir, 'package.json')
  if (!existsSync(file)) return []
  try {
    const { keywords } = JSON.parse(readFileSync(file, 'utf8')) as { keywords?: unknown }
    return Array.isArray(keywords) && keywords.includes('svc-plugin') ? [inspect(dir, 'npm', readRoot(modules))] : []
  } catch (error) {
    return [createRefused(dir, 'npm', `package.json cannot be read: ${errorMessage(error)}`)]
  }
}

function folders(root: string): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .filter((name) => existsSync(join(root, name, 'plugin.json')))
    .sort()
}

/** Others could change what runs here, or the folder leads elsewhere. */
function unsafeFolder(dir: string, root: Root, origin: PluginOrigin): string | undefined {
  const top = { path: dir, stat: lstatSync(dir) }
  const isPlain = top.stat.isDirectory() && dirname(dir) === root.path
  const real = isPlain ? join(root.real, basename(dir)) : realpathSync.native(dir)
  // What was named on the command line runs where it is: only others must not be able to change it.
  const isNamed = origin === 'command-line'
  if (!real.startsWith(root.real + sep)) return `its folder leads out of ${root.path}, to ${real}`
  const inside = [top, ...contents(dir).map((path) => ({ path, stat: lstatSync(path) }))]
  const link = inside.slice(1).find(({ path, stat }) => stat.isSymbolicLink() && !leadsInto(path, real))?.path
  if (link && !isNamed) return `${link} is a link that leads out of the folder of the plugin; put a copy in its place`
  if (process.platform === 'win32') return undefined
  const all = isNamed ? inside : [root, ...inside]
  const open = all.find(({ path, stat }) => isOpen(path, stat))?.path
  return open ? `${open} can be written by everybody; run: chmod o-w "${open}"` : undefined
}

/** Whether everybody can write to it, or to what a link leads to. */
function isOpen(path: string, stat: Stats): boolean {
  const meant = stat.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : stat
  return meant !== undefined && (meant.mode & 0o002) !== 0
}

/** What a link brings in from elsewhere can change unseen. Packages may be linked: they are not part of the plugin. */
function leadsInto(link: string, folder: string): boolean {
  if (basename(link) === 'node_modules') return true
  try {
    return realpathSync(link).startsWith(folder + sep)
  } catch {
    // It leads nowhere now, and anywhere later.
    return false
  }
}

/** What is in a folder; what is installed or hidden there is not looked into. */
function contents(dir: string): string[] {
  const all: string[] = []
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = `${dir}${sep}${entry.name}`
    if (!entry.isDirectory() || entry.name === 'node_modules' || entry.name.startsWith('.')) all.push(path)
    else all.push(path, ...contents(path))
  }
  return all
}
