/** Where the versions of a plugin lie: beside each other, with a link to the active one, which is replaced in one step. */
import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { Home, type PluginContext } from 'svc/sdk'
import { flushFolderSync, writeAtomicallySync } from 'svc/sdk/kit/files'

const isWindows = process.platform === 'win32'

/** The places of one plugin. */
export interface Slot {
  readonly origin: 'home' | 'npm'
  readonly packageName?: string
  /** Where the host finds the plugin. */
  readonly link: string
  /** One folder for each version, named by its id. */
  readonly store: string
}

/** A package keeps its place among the packages, so that plugins find each other's modules. */
export function findSlot(
  ctx: PluginContext<undefined>,
  name: string,
  { origin, packageName }: Pick<Slot, 'origin' | 'packageName'>,
): Slot {
  const home = ctx.use(Home)
  if (origin === 'home' || packageName === undefined)
    return { origin: 'home', link: home.path('plugins', name), store: home.path('plugins', '.versions', name) }
  const modules = home.path('npm', 'node_modules')
  const store = join(modules, '.versions', packageName.replace('/', '+'))
  return { origin, packageName, link: join(modules, packageName), store }
}

/** The version that is active; undefined when there is none, or a folder of an earlier svc. */
export function readActive({ link, store }: Slot): string | undefined {
  if (!lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined
  const target = join(dirname(link), readlinkSync(link))
  const isOwn = dirname(isWindows ? readlinkSync(link) : target) === store
  return isOwn ? basename(target) : undefined
}

/** Makes a version active. Before and after it, whatever ends the process, one version is complete. */
export function activate({ link, store, packageName }: Slot, id: string): void {
  mkdirSync(dirname(link), { recursive: true, mode: 0o700 })
  const target = join(store, id)
  const temporary = join(dirname(link), `.${basename(link)}.svc-link`)
  rmSync(temporary, { recursive: true, force: true })
  // Windows allows links between folders to everybody only as junctions, which are absolute and not replaced.
  symlinkSync(isWindows ? target : relative(dirname(link), target), temporary, isWindows ? 'junction' : 'dir')
  if (isWindows) rmSync(link, { recursive: true, force: true })
  renameSync(temporary, link)
  flushFolderSync(dirname(link))
  if (packageName !== undefined) listPackage(dirname(store), packageName, true)
}

/** Takes the link away. The versions stay. */
export function deactivate({ link, store, packageName }: Slot): void {
  if (packageName !== undefined) listPackage(dirname(store), packageName, false)
  rmSync(link, { force: true, recursive: isWindows })
  flushFolderSync(dirname(link))
}

/** A plugin that an earlier svc installed is a folder: it becomes the version `id`. */
export function adopt({ link, store }: Slot, id: string): void {
  if (!lstatSync(link, { throwIfNoEntry: false })?.isDirectory()) return
  mkdirSync(store, { recursive: true, mode: 0o700 })
  renameSync(link, join(store, id))
}

/** Moves a complete folder to its place beside the other versions. The same content may be there already. */
export function storeVersion({ store }: Slot, id: string, from: string): string {
  const target = join(store, id)
  mkdirSync(store, { recursive: true, mode: 0o700 })
  if (existsSync(target)) rmSync(target, { recursive: true, force: true })
  renameSync(from, target)
  flushFolderSync(store)
  return target
}

/** The host reads the names of installed packages from `npm/package.json`. */
function listPackage(versions: string, name: string, isInstalled: boolean): void {
  const file = join(dirname(dirname(versions)), 'package.json')
  const known = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>)
    : { private: true }
  const { [name]: mine, ...others } = (known['dependencies'] ?? {}) as Record<string, string>
  if ((mine !== undefined) === isInstalled) return
  const dependencies = isInstalled ? { ...others, [name]: '*' } : others
  writeAtomicallySync(file, `${JSON.stringify({ ...known, dependencies }, undefined, 2)}\n`)
}
