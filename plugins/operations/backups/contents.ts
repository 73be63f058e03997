/** What of a home is in a backup, and by which rule. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { parseHolder } from 'svc/sdk/kit/process'
import type { BackupRule } from 'svc/sdk/operations'

export interface ListedFile {
  /** Relative to the home, with slashes. */
  readonly path: string
  readonly mode: number
  readonly bytes: number
  readonly rule: BackupRule | undefined
}

export interface Contents {
  readonly files: readonly ListedFile[]
  readonly folders: readonly { readonly path: string; readonly mode: number }[]
  /** Symbolic links: where they lead. They are not followed. */
  readonly links: ReadonlyMap<string, string>
}

/** What a lock holds at most: one process. */
const MAX_LOCK_BYTES = 4096

/** Made again, or of use to running processes only, in a home and in each profile of it. */
export const homeRule: BackupRule = {
  name: 'home',
  title: 'Caches, logs and what belongs to running processes',
  order: 90,
  isExcluded: true,
  covers: (path) => /^(?:profiles\/[^/]+\/)?(?:cache|logs|run|staging)\/$/.test(path),
}

/** Throws the error of the system for a folder that cannot be read. */
export function listContents(home: string, rules: readonly BackupRule[]): Contents {
  const files: ListedFile[] = []
  const folders: { path: string; mode: number }[] = []
  const links = new Map<string, string>()
  const visit = (path: string) => {
    const file = join(home, path)
    const stat = lstatSync(file, { throwIfNoEntry: false })
    const rule = rules.find((each) => each.covers(stat?.isDirectory() ? `${path}/` : path))
    if (!stat || rule?.isExcluded) return
    const mode = stat.mode & 0o777
    if (stat.isSymbolicLink()) links.set(path, readlinkSync(file))
    else if (stat.isFile() && !isLock(file, stat.size)) files.push({ path, mode, bytes: stat.size, rule })
    else if (stat.isDirectory()) {
      folders.push({ path, mode })
      for (const name of readdirSync(file).sort()) visit(`${path}/${name}`)
    }
  }
  for (const name of readdirSync(home).sort()) visit(name)
  return { files, folders, links }
}

/** The files that are wanted, with the folders that they are in, and without links. */
export function selectContents(
  { files, folders }: Contents,
  includes: (path: string, listed: ListedFile) => boolean,
): Contents {
  const wanted = files.filter((listed) => includes(listed.path, listed))
  const above = new Set(wanted.flatMap(({ path }) => listAbove(path)))
  return { files: wanted, folders: folders.filter(({ path }) => above.has(path)), links: new Map() }
}

function listAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

/** A lock names a process of this moment; restored, it would keep others waiting. */
function isLock(file: string, bytes: number): boolean {
  return /lock$/.test(file) && bytes <= MAX_LOCK_BYTES && parseHolder(readFileSync(file, 'utf8')) !== undefined
}
