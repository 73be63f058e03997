/** The work of `list_files`. */
import { readlink, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError, type ToolContext, type ToolResult } from 'svc/sdk'
import { missingThere, pathThere, type There } from './environment-files.ts'
import { fileError, missing } from './file-error.ts'
import { findRulePlaces, findThere } from './open-access.ts'
import { absolutePath, showName } from './paths.ts'
import { checkReadable, isListable, type ProtectedFolders } from './protection.ts'
import type { FileDeps, ListInput } from './tools.ts'
import { byPath, type Entry, findByGlob, SKIPPED_FOLDERS, type WalkResult, walk } from './walk.ts'

const MAX_SHOWN = 500
/** Of what is found in another environment. */
const MAX_LISTED = 50_000

/** For front ends. */
export interface ListData {
  readonly path: string
  /** Relative paths of those shown; folders end with a slash. */
  readonly entries: readonly string[]
  /** How many there are. */
  readonly count: number
}

/** Lists a folder. Throws a `FILE_...` error that says what to do. */
export async function listFiles(input: ListInput, turn: ToolContext, deps: FileDeps): Promise<ToolResult> {
  const there = await findThere(turn, deps)
  const found = there ? await findEntriesThere(there, input, turn.signal) : await findHere(input, turn, deps)
  const { folder, all, cut, remarks } = found
  const entries = all.filter(({ path }) => isListable(join(folder, path), found.places))
  turn.signal.throwIfAborted()
  const shown = entries.sort((a, b) => byPath(a.path, b.path)).slice(0, MAX_SHOWN)
  const lines = await Promise.all(shown.map((entry) => showEntry(entry, found.target)))
  if (shown.length < entries.length) {
    remarks.add(`cut after ${shown.length}; name a folder in it, or give a glob`)
  }
  const matching = input.glob === undefined ? '' : ` that match ${showName(input.glob)}`
  const count = `${cut ? 'more than ' : ''}${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}`
  const header = `${count} in ${showName(input.path)}${matching}`
  const text = [lines.length === 0 ? header : `${header}:`, ...lines, ...[...remarks].map((remark) => `[${remark}]`)]
  const data: ListData = { path: folder, entries: shown.map(plainPath), count: entries.length }
  return { text: text.join('\n'), data }
}

/** What is in a folder, and by which rules it is shown. */
interface Found {
  readonly folder: string
  readonly places: ProtectedFolders
  readonly all: readonly Entry[]
  readonly cut: boolean
  readonly remarks: Set<string>
  /** Where a link leads, as it is written. */
  readonly target: (path: string) => Promise<string | undefined>
}

async function findHere(input: ListInput, turn: ToolContext, deps: FileDeps): Promise<Found> {
  const folder = await realFolder(absolutePath(input.path, turn.cwd))
  const places = await findRulePlaces(deps)
  checkReadable(folder, places)
  const { entries: all, cut, remarks } = await find(folder, input, turn.signal)
  return { folder, places, all, cut, remarks, target: (path) => readlink(join(folder, path)).catch(() => undefined) }
}

async function findEntriesThere(there: There, { path, glob, depth }: ListInput, signal: AbortSignal): Promise<Found> {
  const { files, places } = there
  const asked = pathThere(path, there)
  const info = await files.info(asked, { signal }).catch((error: unknown) => {
    throw signal.aborted ? error : fileError(error, asked)
  })
  if (info.kind === 'missing') await missingThere(info.path, there)
  if (info.kind !== 'folder') throw notAFolder(asked)
  const folder = info.path
  checkReadable(folder, places)
  const targets = new Map<string, string | undefined>()
  const shared = { folder, places, target: async (link: string) => targets.get(link) }
  try {
    if (glob !== undefined) {
      const { paths, cut } = await files.names(folder, { glob, limit: MAX_LISTED, signal })
      const isNear = (each: string) => depth === undefined || each.split('/').length <= depth
      const all = paths.filter(isNear).map((each): Entry => ({ path: each, kind: 'file' }))
      return { ...shared, all, cut, remarks: new Set() }
    }
    const options = { depth: depth ?? 1, closed: SKIPPED_FOLDERS, limit: MAX_LISTED, targets: true, signal }
    const { entries, cut, remarks } = await files.list(folder, options)
    for (const entry of entries) targets.set(entry.path, entry.target)
    return { ...shared, all: entries, cut, remarks: new Set(remarks) }
  } catch (error) {
    throw signal.aborted ? error : fileError(error, folder)
  }
}

function notAFolder(path: string): SvcError {
  return new SvcError('FILE_NOT_A_FOLDER', `${showName(path)} is a file; read_file shows what is in it.`)
}

async function realFolder(folder: string): Promise<string> {
  const stats = await stat(folder).catch((error: unknown) => missing(error, folder))
  if (stats.isDirectory()) return realpath(folder)
  throw notAFolder(folder)
}

async function find(folder: string, input: ListInput, signal: AbortSignal): Promise<WalkResult> {
  const { glob, depth } = input
  if (glob === undefined) return walk(folder, depth ?? 1, signal)
  const paths = await findByGlob({ folder, glob, depth, only: 'files-and-folders', signal })
  const entries = paths.map((path): Entry => {
    return path.endsWith('/') ? { path: path.slice(0, -1), kind: 'folder' } : { path, kind: 'file' }
  })
  return { entries, cut: false, remarks: new Set() }
}

function plainPath(entry: Entry): string {
  return entry.kind === 'folder' ? `${entry.path}/` : entry.path
}

async function showEntry(entry: Entry, target: Found['target']): Promise<string> {
  const name = showName(entry.path)
  if (entry.kind === 'folder') return `${name}/`
  if (entry.kind === 'other') return `${name} (device, pipe or socket)`
  if (entry.kind === 'file') return name
  return `${name} -> ${showName((await target(entry.path)) ?? '?')}`
}
