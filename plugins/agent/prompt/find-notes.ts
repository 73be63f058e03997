/** Where a project keeps its notes for agents. */
import { readdir, realpath } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { type ExistenceCheck, isThere } from './unchanged-files.ts'

/** Those of a kind are reported together; only the first kind counts. */
const KINDS: readonly (readonly string[])[] = [
  ['.svc.md', 'SVC.md'],
  ['AGENTS.md'],
  ['CLAUDE.md'],
  ['.cursorrules', '.cursor/rules/*.mdc'],
]
const MAX_FILES = 20
const MAX_FOLDERS = 64

/** A file of notes. `path` is where it really is, undefined when a link leads out of the project. */
export interface FoundNotes {
  readonly path: string | undefined
  /** Relative to the working folder, with slashes. */
  readonly shown: string
}

/**
 * The files of the first kind that there is: own notes of this program, then AGENTS.md, CLAUDE.md and Cursor's rules,
 * each looked for from the working folder up to the root of its git repository; without one, in that folder only.
 */
export async function findNotes(cwd: string, look: ExistenceCheck = isThere): Promise<FoundNotes[]> {
  const folders = upToRoot(cwd, look)
  const root = await realpath(folders.at(-1) ?? cwd).catch(() => cwd)
  for (const kind of KINDS)
    for (const folder of folders) {
      const paths = await ofKind(folder, kind, look)
      if (paths.length) return Promise.all(paths.map((path) => readNotesBelow(root, path, cwd)))
    }
  return []
}

/** The working folder and those above it, to the root of the repository. */
function upToRoot(cwd: string, look: ExistenceCheck): string[] {
  const folders: string[] = []
  for (let folder = cwd; folders.length < MAX_FOLDERS; folder = dirname(folder)) {
    folders.push(folder)
    if (look(join(folder, '.git'))) return folders
    if (dirname(folder) === folder) break
  }
  return [cwd]
}

async function ofKind(folder: string, names: readonly string[], look: ExistenceCheck): Promise<string[]> {
  const found: string[] = []
  for (const name of names) {
    if (!name.includes('*')) {
      if (look(join(folder, name))) found.push(join(folder, name))
      continue
    }
    const inner = join(folder, dirname(name))
    const entries = look(inner) ? await readdir(inner).catch(() => []) : []
    const rules = entries.filter((entry) => entry.endsWith('.mdc')).sort()
    for (const path of rules.map((entry) => join(inner, entry))) {
      look(path)
      found.push(path)
    }
  }
  // Of a file and its like in another spelling, the first: `.svc.md` and `SVC.md` are one and the same thing.
  return names[0] === '.svc.md' ? found.slice(0, 1) : found.slice(0, MAX_FILES)
}

async function readNotesBelow(root: string, path: string, cwd: string): Promise<FoundNotes> {
  const shown = relative(cwd, path).split(sep).join('/')
  const real = await realpath(path).catch(() => undefined)
  const inside = real !== undefined && !relative(root, real).startsWith('..')
  return { path: inside ? real : undefined, shown }
}
