/** Where this program is installed, by what, and which of its versions runs. */
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SvcError, tryParseJson } from 'svc/sdk'
import { getFolderNextTo } from 'svc/sdk/kit/files'
import { z } from 'zod'

/** By what an installation was made. Only `npm` and `git` are updated by svc. */
export const METHODS = ['npm', 'git', 'npx', 'system', 'homebrew', 'nix', 'container', 'unknown'] as const
export type InstallMethod = (typeof METHODS)[number]

export interface Installation {
  readonly method: InstallMethod
  /** The folder that was installed at first. Its entry file is what links, services and scripts name. */
  readonly base: string
  /** The folder of the version that runs: `base`, or one below `versions`. */
  readonly root: string
  /** Of the version that runs. */
  readonly name: string
  readonly version: string
  /** Holds the versions that updates installed, next to `base`. */
  readonly versions: string
}

const ENTRY = join('dist', 'kernel', 'bin.cjs')
/** In the folder of versions: the name of the folder that they belong to. */
export const OWNER_FILE = 'svc-versions.json'
/** In `base` or in the home: the method, where it cannot be seen. */
export const METHOD_FILE = '.install_method'

const packageFile = z.object({
  name: z.string(),
  version: z.string(),
  engines: z.object({ node: z.string().optional() }).optional(),
})
const ownerFile = z.object({ base: z.string() })

/** The file that starts the program in this folder. */
export function getEntry(root: string): string {
  return join(root, ENTRY)
}

/** Throws `UPDATE_METHOD` for a folder without a package.json of svc. */
export function readPackage(root: string): z.infer<typeof packageFile> {
  const file = join(root, 'package.json')
  const parsed = packageFile.safeParse(existsSync(file) ? tryParseJson(readFileSync(file, 'utf8'))?.value : undefined)
  if (parsed.success) return parsed.data
  throw new SvcError('UPDATE_METHOD', `${file} does not describe svc, so it cannot be updated. Install svc again.`)
}

/** The folder with the package.json of the code that runs. */
export function findRoot(from: string = fileURLToPath(import.meta.url)): string {
  let root = dirname(realpathSync(from))
  while (!existsSync(join(root, 'package.json')) && dirname(root) !== root) root = dirname(root)
  return root
}

/** What of the machine decides about the method. */
export interface MethodFacts {
  /** The root home. */
  readonly home: string
  readonly isContainer: boolean
  /** The name of the system package that a file belongs to. */
  findPackage(file: string): Promise<string | undefined>
}

/** Throws `UPDATE_METHOD`. */
export async function findInstallation(facts: MethodFacts, root: string = findRoot()): Promise<Installation> {
  const { name, version } = readPackage(root)
  const base = findBase(root)
  const method = await findMethod(base, facts)
  return { method, base, root, name, version, versions: getFolderNextTo(base, 'versions') }
}

function findBase(root: string): string {
  for (let folder = dirname(root); dirname(folder) !== folder; folder = dirname(folder)) {
    const file = join(folder, OWNER_FILE)
    if (!existsSync(file)) continue
    const { data } = ownerFile.safeParse(tryParseJson(readFileSync(file, 'utf8'))?.value)
    const base = data && join(dirname(folder), basename(data.base))
    if (base !== undefined && existsSync(getEntry(base))) return base
  }
  return root
}

/** A file that says it, the place, the owner of the files, in this order. */
async function findMethod(base: string, facts: MethodFacts): Promise<InstallMethod> {
  for (const folder of [base, facts.home]) {
    const said = readMethod(join(folder, METHOD_FILE))
    // A home that a container shares with its host says nothing about the host.
    if (said !== undefined && (said !== 'container' || facts.isContainer)) return said
  }
  const below = (part: string) => `${base}${sep}`.includes(`${sep}${part}${sep}`)
  if (base.startsWith('/nix/store/')) return 'nix'
  if (below('Cellar')) return 'homebrew'
  if (existsSync(join(base, '.git'))) return 'git'
  if ((await facts.findPackage(join(base, 'package.json'))) !== undefined) return 'system'
  if (below('_npx')) return 'npx'
  return below('node_modules') ? 'npm' : 'unknown'
}

function readMethod(file: string): InstallMethod | undefined {
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  return METHODS.find((method) => method === text)
}
