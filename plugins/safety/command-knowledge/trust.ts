/** Which files of a project may be run unread: those that git knows as they are and that the session did not write. */
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { posix } from 'node:path'

const MAX_INDEX = 16_777_216
const MAX_SCRIPT = 4_194_304
const MAX_WRITTEN = 5000

/** Paths of files and folders. `everything`: too many to tell. */
export interface PathSet {
  readonly paths: Set<string>
  everything: boolean
}

/** What commands of one session wrote, and what they put into git: from there alone it is not known any more. */
export interface SessionWrites {
  readonly written: PathSet
  readonly added: PathSet
}

export function newLedger(): SessionWrites {
  return { written: { paths: new Set(), everything: false }, added: { paths: new Set(), everything: false } }
}

export function note(set: PathSet, path: string): void {
  if (set.paths.size >= MAX_WRITTEN) set.everything = true
  else set.paths.add(path)
}

/** Whether a path or a folder above it is in the set. */
export function includes(set: PathSet, path: string): boolean {
  if (set.everything) return true
  for (let at = path; at.length > 1; at = posix.dirname(at)) if (set.paths.has(at)) return true
  return false
}

/** Whether the git index has the current content of the file. False if that is unknown. */
export function isAsInGit(path: string, project: string): boolean {
  try {
    const git = gitFolder(project)
    const found = git && indexOf(git.folder).get(posix.relative(git.top, path))
    if (!found || statSync(path).size > MAX_SCRIPT) return false
    const content = readFileSync(path)
    return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex') === found
  } catch {
    // No git, an index of another format, a file that cannot be read: nothing is known.
    return false
  }
}

/** The folder of git that works for a folder, and the top of its tree. A folder that is itself a bare repository has none. */
export function gitFolder(start: string): { readonly folder: string; readonly top: string } | undefined {
  for (let at = start; ; at = posix.dirname(at)) {
    const folder = resolveGitLink(posix.join(at, '.git'))
    if (folder !== undefined) return { folder, top: at }
    if (at === '/') return undefined
  }
}

/** `.git`, or what a file of this name leads to (worktrees, submodules). */
function resolveGitLink(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isDirectory()) return path
  if (!stat?.isFile()) return undefined
  const target = /^gitdir: (.+)/.exec(readFileSync(path, 'utf8'))?.[1]?.trim()
  return target && posix.resolve(posix.dirname(path), target)
}

let last: { readonly path: string; readonly stamp: string; readonly entries: ReadonlyMap<string, string> } | undefined

function indexOf(folder: string): ReadonlyMap<string, string> {
  const path = posix.join(folder, 'index')
  const { size, mtimeMs } = statSync(path)
  const stamp = `${size} ${mtimeMs}`
  if (last?.path === path && last.stamp === stamp) return last.entries
  const entries = size > MAX_INDEX ? new Map<string, string>() : readIndex(readFileSync(path))
  last = { path, stamp, entries }
  return entries
}

/** Paths and the ids of their contents, of the formats 2 and 3; empty for others. */
function readIndex(bytes: Buffer): ReadonlyMap<string, string> {
  const entries = new Map<string, string>()
  const version = bytes.readUInt32BE(4)
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 3) return entries
  let at = 12
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const flags = bytes.readUInt16BE(at + 60)
    const start = at + (flags & 0x4000 ? 64 : 62)
    const end = bytes.indexOf(0, start)
    entries.set(bytes.toString('utf8', start, end), bytes.toString('hex', at + 40, at + 60))
    at += Math.ceil((end + 1 - at) / 8) * 8
  }
  return entries
}
