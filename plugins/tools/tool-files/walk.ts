/** Finds what is in a folder: level by level, or by a pattern. */
import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileError } from './file-error.ts'

/** Folders that hold what others made: neither listed in depth nor searched, unless they are asked for by name. */
export const SKIPPED_FOLDERS: readonly string[] = ['.git', 'node_modules']

/** More entries than this are not looked at. */
const MAX_ENTRIES = 50_000

/** Something in a folder. */
export interface Entry {
  /** Relative to the folder the walk began in, with forward slashes. */
  readonly path: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

/** What a walk found, and what kept it from finding more. */
export interface WalkResult {
  readonly entries: Entry[]
  /** There are more entries than were looked at. */
  cut: boolean
  readonly remarks: Set<string>
}

/** Finds what is in a folder, `levels` deep. Links are not followed. Throws when the folder itself cannot be read. */
export async function walk(folder: string, levels: number, signal: AbortSignal): Promise<WalkResult> {
  const found: WalkResult = { entries: [], cut: false, remarks: new Set() }
  await visit({ folder, inside: '', levels, signal }, found)
  return found
}

interface Visit {
  readonly folder: string
  /** The path so far, with a slash at its end. */
  readonly inside: string
  readonly levels: number
  readonly signal: AbortSignal
}

async function visit(at: Visit, found: WalkResult): Promise<void> {
  for (const entry of await readEntries(at, found)) {
    at.signal.throwIfAborted()
    const path = at.inside + entry.name
    found.entries.push({ path, kind: getEntryKind(entry) })
    const deeper = !found.cut && entry.isDirectory() && at.levels > 1 && !SKIPPED_FOLDERS.includes(entry.name)
    if (deeper) await visit({ ...at, inside: `${path}/`, levels: at.levels - 1 }, found)
  }
}

async function readEntries(at: Visit, found: WalkResult): Promise<Dirent[]> {
  const entries: Dirent[] = []
  const path = join(at.folder, at.inside)
  try {
    for await (const entry of await opendir(path, { bufferSize: 512 })) {
      if (found.entries.length + entries.length >= MAX_ENTRIES) {
        found.cut = true
        break
      }
      entries.push(entry)
    }
  } catch (error) {
    const said = fileError(error, path)
    if (at.inside === '') throw said
    found.remarks.add(said.message)
  }
  return entries
}

function getEntryKind(entry: Dirent): Entry['kind'] {
  if (entry.isDirectory()) return 'folder'
  if (entry.isSymbolicLink()) return 'link'
  return entry.isFile() ? 'file' : 'other'
}

/** What is looked for, and how far. */
export interface GlobRequest {
  readonly folder: string
  /** `*.ts` matches at any depth, `src/*.ts` only there. */
  readonly glob: string
  readonly depth: number | undefined
  readonly only: 'files' | 'files-and-folders'
  readonly signal: AbortSignal
}

/** Paths relative to the folder, sorted; folders end with a slash. Links are not followed. Aborting keeps what was found. */
export async function findByGlob(request: GlobRequest): Promise<string[]> {
  const { glob } = await import('tinyglobby')
  const pattern = request.glob.includes('/') ? request.glob.replace(/^\.\//, '') : `**/${request.glob}`
  const found = await glob(pattern, {
    cwd: request.folder,
    dot: true,
    expandDirectories: false,
    followSymbolicLinks: false,
    onlyFiles: request.only === 'files',
    ignore: SKIPPED_FOLDERS.map((name) => `**/${name}/**`),
    signal: request.signal,
    ...(request.depth === undefined ? {} : { deep: request.depth - 1 }),
  })
  return found.sort(byPath)
}

/** Sorts so that what is in a folder follows it. */
export function byPath(a: string, b: string): number {
  const left = a.replaceAll('/', '\0')
  const right = b.replaceAll('/', '\0')
  return left < right ? -1 : Number(left > right)
}
