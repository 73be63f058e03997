/** What is in the folder of a skill, without following links. */
import { closeSync, lstatSync, openSync, readdirSync, readlinkSync, readSync, type Stats } from 'node:fs'
import { join, posix, relative, sep } from 'node:path'

export interface SkillFile {
  /** Relative, with slashes. */
  readonly path: string
  readonly kind: 'file' | 'link' | 'other'
  readonly size: number
  readonly mode: number
  readonly links: number
  /** Where a link leads, as it is written. */
  readonly target?: string
  /** At most `MAX_READ` bytes of a file. */
  read(): Buffer
}

const MAX_FILES = 2000
const MAX_DEPTH = 12
export const MAX_READ = 2 ** 21

export interface FolderListing {
  /** Sorted by path. */
  readonly files: readonly SkillFile[]
  /** There was more than a skill has. */
  readonly isCut: boolean
}

/** A folder that does not exist is empty. */
export function listSkillFiles(dir: string): FolderListing {
  const found: SkillFile[] = []
  const stat = lstatSync(dir, { throwIfNoEntry: false })
  const isWhole = stat?.isDirectory() === true && visit(dir, dir, found, 0)
  found.sort((one, two) => (one.path < two.path ? -1 : 1))
  return { files: found, isCut: stat !== undefined && !isWhole }
}

/** Whether all was listed. */
function visit(root: string, dir: string, found: SkillFile[], depth: number): boolean {
  if (depth > MAX_DEPTH) return false
  let isWhole = true
  for (const name of readdirSync(dir)) {
    const path = join(dir, name)
    const stat = lstatSync(path)
    if (found.length >= MAX_FILES) return false
    if (stat.isDirectory()) isWhole = visit(root, path, found, depth + 1) && isWhole
    else found.push(toFile(root, path, stat))
  }
  return isWhole
}

function toFile(root: string, path: string, stat: Stats): SkillFile {
  const kind = stat.isSymbolicLink() ? 'link' : stat.isFile() ? 'file' : 'other'
  return {
    path: relative(root, path).split(sep).join('/'),
    kind,
    size: stat.size,
    mode: stat.mode,
    links: stat.nlink,
    ...(kind === 'link' && { target: readlinkSync(path) }),
    read: () => (kind === 'file' ? readStart(path, Math.min(stat.size, MAX_READ)) : Buffer.alloc(0)),
  }
}

function readStart(path: string, bytes: number): Buffer {
  const handle = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(bytes)
    return buffer.subarray(0, readSync(handle, buffer, 0, bytes, 0))
  } finally {
    closeSync(handle)
  }
}

/** Whether a link leads out of the folder of the skill. */
export function leadsOut(path: string, target: string): boolean {
  if (/^(?:[/\\~]|[A-Za-z]:)/.test(target)) return true
  return posix.normalize(posix.join(posix.dirname(path), target.replaceAll('\\', '/'))).startsWith('..')
}
