/** Scans the files of a project: which exist, which are ignored, and which may have changed. */
import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { FileState } from './cache.ts'
import type { Git } from './git.ts'
import { getFileName, isCopyName, isThere, type NameRule, nameRule, toPathBytes } from './path.ts'

/** Of a project. */
export const MAX_FILES = 50_000
/** Files checked, and folders read, before the event loop runs other work. */
const PORTION = 1000
const FOLDER_PORTION = 100
/** A file that changed so lately may change once more and look the same: clocks of file systems are coarse. */
const FRESH_MS = 2000
const MEGABYTE = 1_000_000

/** What is looked for. */
export interface LookRules {
  readonly exclude: readonly string[]
  readonly maxFileMb: number
  readonly maxTotalMb: number
  /** Folders that do not belong to any project. */
  readonly skip: readonly string[]
}

/** All there is. */
export interface ProjectScan {
  readonly files: ReadonlyMap<string, FileState>
  readonly empty: readonly string[]
  /** Too large, or in a folder that cannot be read. */
  readonly left: readonly string[]
  readonly copies: readonly string[]
  /** Where links lead, in another environment. */
  readonly links?: ReadonlyMap<string, string>
}

/** Why a folder has no snapshot, as text for people. */
export interface Refusal {
  readonly refused: 'many' | 'large'
}

/** `now` is the present of the file system. */
export async function scanProject(
  git: Git,
  root: string,
  rules: LookRules,
  now: number,
): Promise<ProjectScan | Refusal> {
  const found = await walk(root, nameRule(rules.exclude), rules.skip)
  if (found.files.length > MAX_FILES) return { refused: 'many' }
  const ignored = await findIgnored(git, root, found.files, found.files)
  const files = new Map<string, FileState>()
  const left = [...found.unreadable]
  let [total, count] = [0, 0]
  for (const path of found.files) {
    if (++count % PORTION === 0) await setImmediate()
    const stats = ignored.has(path) ? undefined : readStats(root, path)
    if (!stats) continue
    if (stats.size > rules.maxFileMb * MEGABYTE) left.push(path)
    else files.set(path, createLook(stats, now))
    total += files.has(path) ? stats.size : 0
  }
  if (total > rules.maxTotalMb * MEGABYTE) return { refused: 'large' }
  return { files, empty: found.empty, left, copies: found.copies }
}

/** The words for it. */
export function refusalText(refusal: Refusal, root: string, { maxTotalMb }: Pick<LookRules, 'maxTotalMb'>): string {
  const count = MAX_FILES.toLocaleString('en')
  return refusal.refused === 'many'
    ? `${root} has more than ${count} files.`
    : `The files of ${root} are larger than checkpoints.max_total_mb (${maxTotalMb} MB) together.`
}

/** A file or link; undefined if it was removed or replaced by something else. */
export function readStats(root: string, path: string): Stats | undefined {
  try {
    const stats = lstatSync(toPathBytes(root, path))
    return stats.isFile() || stats.isSymbolicLink() ? stats : undefined
  } catch {
    // Gone, or hidden behind something that took the place of its folder.
    return undefined
  }
}

export function createLook(stats: Stats, now: number): FileState {
  const mark = stats.ctimeMs < now - FRESH_MS ? createStatMark(stats) : ''
  return { size: stats.size, mode: stats.mode & 0o777, link: stats.isSymbolicLink(), changedAt: stats.mtimeMs, mark }
}

/** Differs between two states of a file, unless they follow each other within a tick of the clock. */
export function createStatMark(stats: Stats): string {
  return `${stats.mtimeMs}:${stats.ctimeMs}:${stats.ino}`
}

/** Surely the same file with the same content. */
export function isSame(one: FileState | undefined, two: FileState): boolean {
  if (!one || one.mark === '') return false
  return one.mark === two.mark && one.size === two.size && one.mode === two.mode && one.link === two.link
}

/**
 * Those of the paths that a `.gitignore` names as it is now, or the exclude file of the user's own repository. `files` are
 * all there are, so that git is not called without such rules.
 */
export async function findIgnored(
  git: Git,
  root: string,
  paths: readonly string[],
  files: Iterable<string>,
): Promise<ReadonlySet<string>> {
  const exclude = join(root, '.git', 'info', 'exclude')
  const hasRules = () => isThere(exclude) || [...files].some(isRules)
  if (paths.length === 0 || !hasRules()) return new Set()
  const output = await git.run(['-c', `core.excludesFile=${exclude}`, 'check-ignore', '-z', '--stdin'], {
    input: Buffer.from(`${paths.join('\0')}\0`, 'latin1'),
    codes: [0, 1],
    workTree: root,
  })
  return new Set(output.split('\0').filter((path) => path !== ''))
}

/** Whether the file says what is ignored. */
export function isRules(path: string): boolean {
  return getFileName(path) === '.gitignore'
}

/** What was found: more than `MAX_FILES` files when it was given up. */
interface ScanResult {
  /** Files and links. */
  readonly files: string[]
  /** Folders with nothing at all in them. */
  readonly empty: string[]
  /** Folders that could not be read. */
  readonly unreadable: string[]
  /** Copies that a restoration left behind when it was cut off. */
  readonly copies: string[]
}

/**
 * Finds files without following links or reading anything. `skip` are absolute folders that do not belong to the project,
 * wherever they are. A missing root has no files.
 */
async function walk(root: string, rule: NameRule, skip: readonly string[]): Promise<ScanResult> {
  const found: ScanResult = { files: [], empty: [], unreadable: [], copies: [] }
  const skipped = new Set(skip.map((path) => Buffer.from(path).toString('latin1')))
  const prefix = Buffer.from(root).toString('latin1')
  const isOut = (name: string, path: string) => rule(name) || skipped.has(`${prefix}/${path}`)
  const folders = ['']
  for (let count = 1; folders.length > 0 && found.files.length <= MAX_FILES; count++) {
    folders.push(...readFolder(root, folders.pop() as string, found, isOut))
    if (count % FOLDER_PORTION === 0) await setImmediate()
  }
  return found
}

/** Adds what is in a folder to what was found, and returns the folders in it. */
function readFolder(root: string, folder: string, found: ScanResult, isOut: (name: string, path: string) => boolean) {
  const entries = listEntries(root, folder)
  if (entries === undefined) {
    found.unreadable.push(folder)
    return []
  }
  if (entries.length === 0 && folder !== '') found.empty.push(folder)
  const folders: string[] = []
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (isCopyName(entry.name)) found.copies.push(path)
    if (isOut(entry.name, path)) continue
    if (entry.isDirectory()) folders.push(path)
    else if (entry.isFile() || entry.isSymbolicLink()) found.files.push(path)
  }
  return folders
}

function listEntries(root: string, folder: string) {
  try {
    return readdirSync(toPathBytes(root, folder), { withFileTypes: true, encoding: 'latin1' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // It went away meanwhile.
    return code === 'ENOENT' || code === 'ENOTDIR' ? [] : undefined
  }
}
