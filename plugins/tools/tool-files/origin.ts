/** Whether a file is of the project that the user works in, or came from somewhere else. */
import { realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, parse, relative, sep } from 'node:path'

/** Folders that programs fill with what others wrote. */
const FETCHED: ReadonlySet<string> = new Set([
  ...['node_modules', 'bower_components', 'vendor', 'site-packages', 'dist-packages', '.venv', 'venv'],
  ...['.git', '.cache', '.tox', '.cargo', 'Pods', 'Downloads'],
])
/** Folders that are looked at; a search that finds more than these is of another origin. */
const MAX_FOLDERS = 200

/**
 * A short noun phrase for where the text of these files came from; undefined when all of them are of the project: below
 * the root of the repository that holds the working folder (without one, below that folder), in no repository of their
 * own there, and in no folder of fetched packages. A home folder or the root of the file system is not a project.
 */
export async function findOrigin(paths: readonly string[], cwd: string): Promise<string | undefined> {
  if (paths.length === 0) return undefined
  const root = await projectRoot(await real(cwd))
  if (root === undefined) return 'a file outside of a project'
  const folders = new Set(paths.map((path) => dirname(path)))
  if (folders.size > MAX_FOLDERS) return 'files of many folders'
  const known = new Map<string, string | undefined>()
  for (const folder of folders) {
    const origin = await ofFolder(await real(folder), root, known)
    if (origin !== undefined) return origin
  }
  return undefined
}

async function projectRoot(cwd: string): Promise<string | undefined> {
  const home = await real(homedir())
  const isNone = (folder: string) => folder === home || folder === parse(folder).root
  for (let folder = cwd; !isNone(folder); folder = dirname(folder)) if (await isRepository(folder)) return folder
  return isNone(cwd) ? undefined : cwd
}

function real(path: string): Promise<string> {
  return realpath(path).catch(() => path)
}

async function ofFolder(
  folder: string,
  root: string,
  known: Map<string, string | undefined>,
): Promise<string | undefined> {
  if (folder === root) return undefined
  if (known.has(folder)) return known.get(folder)
  const inner = relative(root, folder)
  if (inner.startsWith('..')) return 'a file outside of the project'
  const own = isFetched(inner)
    ? 'a file of a package'
    : (await isRepository(folder))
      ? 'a file of another repository'
      : undefined
  const origin = own ?? (await ofFolder(dirname(folder), root, known))
  known.set(folder, origin)
  return origin
}

/** Whether a folder, relative to the project, is one that programs fill. */
export function isFetched(inner: string): boolean {
  return inner.split(sep).some((name) => FETCHED.has(name))
}

async function isRepository(folder: string): Promise<boolean> {
  return (await stat(join(folder, '.git')).catch(() => undefined)) !== undefined
}
