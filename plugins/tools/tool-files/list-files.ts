/** The work of `list_files`. */
import { readlink, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError, type ToolContext, type ToolResult } from 'svc/sdk'

import { missing } from './file-error.ts'
import { findRulePlaces } from './guard.ts'
import { absolutePath, showName } from './paths.ts'
import { checkReadable, isListable } from './protection.ts'
import type { FileDeps, ListInput } from './tools.ts'
import { byPath, type Entry, findByGlob, type WalkResult, walk } from './walk.ts'

const MAX_SHOWN = 500

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
  const folder = await realFolder(absolutePath(input.path, turn.cwd))
  const places = await findRulePlaces(deps)
  checkReadable(folder, places)
  const { entries: all, cut, remarks } = await find(folder, input, turn.signal)
  const entries = all.filter(({ path }) => isListable(join(folder, path), places))
  turn.signal.throwIfAborted()
  const shown = entries.sort((a, b) => byPath(a.path, b.path)).slice(0, MAX_SHOWN)
  const lines = await Promise.all(shown.map((entry) => showEntry(folder, entry)))
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

async function realFolder(folder: string): Promise<string> {
  const stats = await stat(folder).catch((error: unknown) => missing(error, folder))
  if (stats.isDirectory()) return realpath(folder)
  throw new SvcError('FILE_NOT_A_FOLDER', `${showName(folder)} is a file; read_file shows what is in it.`)
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

async function showEntry(folder: string, entry: Entry): Promise<string> {
  const name = showName(entry.path)
  if (entry.kind === 'folder') return `${name}/`
  if (entry.kind === 'other') return `${name} (device, pipe or socket)`
  if (entry.kind === 'file') return name
  const goal = await readlink(join(folder, entry.path)).catch(() => '?')
  return `${name} -> ${showName(goal)}`
}
