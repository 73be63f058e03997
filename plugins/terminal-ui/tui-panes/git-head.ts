/** The branch of a folder, from git's own files: no program is started. https://git-scm.com/docs/gitrepository-layout */
import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const MAX_BYTES = 4096
const MAX_LEVELS = 50

/** The name of the branch, or the beginning of the commit; undefined where there is no repository. */
export function gitHead(folder: string): string | undefined {
  let at = resolve(folder)
  for (let level = 0; level < MAX_LEVELS; level++) {
    const head = findHead(join(at, '.git'))
    if (head !== undefined) return parseBranch(head)
    if (dirname(at) === at) return undefined
    at = dirname(at)
  }
  return undefined
}

/** Of a repository or, where `.git` is a file that says where that is, of a worktree or a submodule. */
function findHead(git: string): string | undefined {
  const link = /^gitdir: (.+?)\s*$/.exec(readSmallFile(git) ?? '')?.[1]
  return readSmallFile(join(link === undefined ? git : resolve(dirname(git), link), 'HEAD'))
}

/** Where branches are kept in tables, the file names one that cannot be: `.invalid`. */
function parseBranch(head: string): string | undefined {
  const branch = /^ref: refs\/heads\/([^.\s]\S*)\s*$/.exec(head)?.[1]
  if (branch !== undefined) return branch
  return /^([0-9a-f]{7})[0-9a-f]{33,57}\s*$/.exec(head)?.[1]
}

/** The text of a small ordinary file. */
function readSmallFile(path: string): string | undefined {
  try {
    const stats = statSync(path)
    return stats.isFile() && stats.size <= MAX_BYTES ? readFileSync(path, 'utf8') : undefined
  } catch {
    // It is not there, or not to be read: there is nothing to show.
    return undefined
  }
}
