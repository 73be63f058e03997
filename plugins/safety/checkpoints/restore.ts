/**
 * Puts files back. Only what is in the snapshot of the present is changed or removed, so all of it can be had again;
 * other conflicting files are left unchanged and reported.
 */
import {
  chmodSync,
  closeSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { errorMessage, type Random } from 'svc/sdk'
import type { FileState } from './cache.ts'
import type { Git } from './git.ts'
import { copyName, getParentPath, hasName, isWithin, nameRule, shownPath, toPathBytes } from './path.ts'
import type { SnapshotRecord } from './record.ts'
import { findIgnored, isRules, readStats } from './scan-files.ts'
import { usualMode } from './usual-mode.ts'

/** Files are restored one by one while git lists them, and a partial restoration is useless. */
const RESTORE_MS = 600_000

/** What is to be restored. */
export interface RestoreRequest {
  readonly root: string
  /** The present: its snapshot, and what was seen for it. */
  readonly before: {
    readonly id: string
    readonly record: SnapshotRecord
    readonly files: ReadonlyMap<string, FileState>
  }
  readonly target: { readonly id: string; readonly record: SnapshotRecord }
  /** Only this file, or what is in this folder. */
  readonly only: string | undefined
}

/** What was done, as people read it. */
export interface Restored {
  readonly restored: readonly string[]
  readonly removed: readonly string[]
  readonly leftAlone: readonly { readonly path: string; readonly why: string }[]
}

/** A difference between the present and the snapshot. */
export interface Difference {
  readonly path: string
  readonly status: 'put' | 'remove'
  readonly mode: string
  readonly blob: string
}

/** Restores; what cannot be done does not keep the rest from being done. */
export async function restoreFiles(git: Git, random: Random, wanted: RestoreRequest): Promise<Restored> {
  const work = new Restoring(git, random, wanted)
  const all = await differences(git, wanted)
  const puts = all.filter(({ status }) => status === 'put')
  mkdirSync(wanted.root, { recursive: true })
  // The rules of the snapshot decide which of the newer files it would have held.
  const rules = puts.filter(({ path }) => isRules(path))
  await work.put(rules)
  await work.remove(
    all.filter(({ status }) => status === 'remove').map(({ path }) => path),
    [...wanted.before.files.keys(), ...rules.map(({ path }) => path)],
  )
  await work.put(puts)
  work.folders()
  work.modes(new Set(all.map(({ path }) => path)))
  return work.result()
}

/** What differs between the present and the snapshot. */
export async function differences(git: Git, { before, target, only }: RestoreRequest): Promise<Difference[]> {
  const output = await git.run(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', before.id, target.id])
  const parts = output.split('\0')
  const all: Difference[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode = '', , blob = '', status] = (parts[at] as string).split(' ')
    const path = parts[at + 1] as string
    if (only === undefined || isWithin(path, only))
      all.push({ path, mode, blob, status: status === 'D' ? 'remove' : 'put' })
  }
  return all
}

/** Gives the content of each; undefined where the store has lost it. */
export async function readBlobs(
  git: Git,
  wanted: readonly Difference[],
  take: (difference: Difference, bytes: Buffer | undefined) => void,
): Promise<void> {
  const talk = git.talk(['cat-file', '--batch'], RESTORE_MS)
  try {
    // Asked one by one: what is not read yet would have to be kept somewhere.
    for (const difference of wanted) {
      await talk.write(`${difference.blob}\n`)
      const size = Number((await talk.output.line())?.split(' ')[2] ?? Number.NaN)
      const bytes = Number.isNaN(size) ? undefined : await talk.output.bytes(size + 1)
      take(difference, bytes?.subarray(0, size))
    }
    await talk.end()
  } catch (error) {
    talk.kill()
    throw error
  }
}

/** One restoration under way. Each file is checked and changed without an await in between. */
class Restoring {
  readonly #git: Git
  readonly #random: Random
  readonly #wanted: RestoreRequest
  readonly #restored: Set<string> = new Set()
  readonly #removed: string[] = []
  readonly #left: Map<string, string> = new Map()
  readonly #emptied: Set<string> = new Set()

  constructor(git: Git, random: Random, wanted: RestoreRequest) {
    this.#git = git
    this.#random = random
    this.#wanted = wanted
  }

  /** Files that came after the snapshot. `files` may hold rules of what is ignored. */
  async remove(paths: readonly string[], files: readonly string[]): Promise<void> {
    const { root, target } = this.#wanted
    const rule = nameRule(target.record.exclude)
    const ignored = await findIgnored(this.#git, root, paths, files)
    for (const path of paths) {
      const isLeft = hasName(path, rule) || ignored.has(path) || target.record.left.some((one) => isWithin(path, one))
      if (isLeft) this.#left.set(path, 'the snapshot does not tell how it was')
      else
        this.#safely(path, () => {
          unlinkSync(toPathBytes(root, path))
          this.#emptied.add(getParentPath(path))
          this.#removed.push(path)
        })
    }
  }

  /** Files that were other then. */
  async put(differences: readonly Difference[]): Promise<void> {
    const open = differences.filter(({ path }) => !this.#restored.has(path))
    if (open.length === 0) return
    await readBlobs(this.#git, open, (difference, bytes) => {
      if (!bytes) this.#left.set(difference.path, 'the snapshot has lost it')
      else this.#safely(difference.path, () => this.#write(difference, bytes))
    })
  }

  /** Folders: those that were empty then, and not those that are empty only now. */
  folders(): void {
    const { before, target, only } = this.#wanted
    const kept = new Set(target.record.empty)
    const isMeant = (path: string) => only === undefined || isWithin(path, only)
    const known = new Set(before.record.empty)
    for (const path of target.record.empty)
      if (isMeant(path) && !known.has(path)) this.#safely(path, () => this.#makeFolder(path))
    for (const path of [...this.#emptied, ...before.record.empty.filter(isMeant)]) this.#dropEmpty(path, kept)
  }

  /** Permissions of files that are the same otherwise. */
  modes(done: ReadonlySet<string>): void {
    const { root, before, target, only } = this.#wanted
    const left = new Set(before.record.left)
    for (const [path, { link, mode }] of before.files) {
      const meant = this.#getMode(path, usualMode(mode, target.record.umask))
      if (link || mode === meant || done.has(path) || left.has(path)) continue
      if (only !== undefined && !isWithin(path, only)) continue
      this.#safely(path, () => {
        chmodSync(toPathBytes(root, path), meant)
        this.#restored.add(path)
      })
    }
  }

  result(): Restored {
    return {
      restored: [...this.#restored].map(shownPath),
      removed: this.#removed.map(shownPath),
      leftAlone: [...this.#left].map(([path, why]) => ({ path: shownPath(path), why })),
    }
  }

  /** Does something to a file or folder, unless the snapshot of the present does not hold what is there. */
  #safely(path: string, work: () => void): void {
    try {
      const why = this.#obstacle(path)
      if (why !== undefined) this.#left.set(path, why)
      else work()
    } catch (error) {
      this.#left.set(path, errorMessage(error))
    }
  }

  #obstacle(path: string): string | undefined {
    const { root, before } = this.#wanted
    // A link may lead anywhere.
    for (let folder = getParentPath(path); folder !== ''; folder = getParentPath(folder))
      if (readPlaceKind(toPathBytes(root, folder)) === 'other') return 'something else is in the place of its folder'
    if (readPlaceKind(toPathBytes(root, path)) !== 'other') return undefined
    const seen = before.files.get(path)
    if (!seen) return 'what is there now is left out of snapshots'
    const stats = readStats(root, path)
    return stats?.size === seen.size && stats.mtimeMs === seen.changedAt ? undefined : 'it has just changed'
  }

  #write(difference: Difference, bytes: Buffer): void {
    const { path } = difference
    const { root } = this.#wanted
    this.#makeFolder(getParentPath(path))
    if (!this.#dropFolder(path)) {
      this.#left.set(path, 'a folder with other files is in its place')
      return
    }
    const copy = toPathBytes(root, [getParentPath(path), copyName(this.#random.hex(8))].filter(Boolean).join('/'))
    try {
      this.#copy(difference, bytes, copy)
      renameSync(copy, toPathBytes(root, path))
    } catch (error) {
      rmSync(copy, { force: true })
      throw error
    }
    this.#restored.add(path)
    this.#left.delete(path)
  }

  #copy({ path, mode }: Difference, bytes: Buffer, copy: Buffer): void {
    if (mode === '120000') {
      symlinkSync(bytes, copy)
      return
    }
    const file = openSync(copy, 'wx', 0o600)
    try {
      writeFileSync(file, bytes)
      fchmodSync(file, this.#getMode(path, usualMode(Number.parseInt(mode, 8), this.#wanted.target.record.umask)))
    } finally {
      closeSync(file)
    }
  }

  #getMode(path: string, usual: number): number {
    const { modes } = this.#wanted.target.record
    return Object.hasOwn(modes, path) ? (modes[path] ?? usual) : usual
  }

  #makeFolder(path: string): void {
    if (path === '') return
    this.#makeFolder(getParentPath(path))
    const place = toPathBytes(this.#wanted.root, path)
    if (readPlaceKind(place) === 'none') mkdirSync(place)
  }

  /** Clears the place of a file; false when a folder there is not empty. */
  #dropFolder(path: string): boolean {
    const place = toPathBytes(this.#wanted.root, path)
    if (readPlaceKind(place) !== 'folder') return true
    for (const entry of readdirSync(place, { withFileTypes: true, encoding: 'latin1' }))
      if (!entry.isDirectory() || !this.#dropFolder(`${path}/${entry.name}`)) return false
    rmdirSync(place)
    return true
  }

  /** Removes a folder that has become empty, and those it was alone in. */
  #dropEmpty(path: string, kept: ReadonlySet<string>): void {
    for (let folder = path; folder !== '' && !kept.has(folder); folder = getParentPath(folder)) {
      try {
        rmdirSync(toPathBytes(this.#wanted.root, folder))
      } catch (error) {
        // Something is in it, or it is not a folder any more: then it stays, with all above.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return
      }
    }
  }
}

function readPlaceKind(place: Buffer): 'none' | 'folder' | 'other' {
  try {
    return lstatSync(place).isDirectory() ? 'folder' : 'other'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'none'
    throw error
  }
}
