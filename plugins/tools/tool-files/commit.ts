/** Changes of files on disk: whole or not at all, and one writer of a file at a time. */
import type { BigIntStats } from 'node:fs'
import { copyFile, link, lstat, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorMessage, type Random, SvcError } from 'svc/sdk'
import { fileError } from './file-error.ts'
import { type OpenFolder, OpenFolders } from './folder.ts'
import { showName } from './paths.ts'
import { createStamp } from './read-history.ts'

/** One file that is to be written or removed. */
export interface FileWrite {
  readonly path: string
  /** What was there when the new text was made; undefined when nothing was. */
  readonly before: BigIntStats | undefined
  /** Undefined: removed. */
  readonly text: string | undefined
  /** Permission bits of a new file. */
  readonly mode?: number | undefined
}

type Undo = () => Promise<unknown>

/** Lets one piece of work at a time have a path. In the order of requests, so there is no deadlock. */
export class PathLocks {
  readonly #last = new Map<string, Promise<void>>()

  async hold<Result>(paths: readonly string[], work: () => Promise<Result>): Promise<Result> {
    let release: () => void = () => undefined
    const mine = new Promise<void>((resolve) => {
      release = resolve
    })
    const earlier = paths.map((path) => this.#last.get(path))
    for (const path of paths) this.#last.set(path, mine)
    await Promise.all(earlier)
    try {
      return await work()
    } finally {
      release()
      for (const path of paths) if (this.#last.get(path) === mine) this.#last.delete(path)
    }
  }
}

/**
 * Performs all writes or, if one fails, none: new texts are first written beside their files, so a full disk is found out
 * before anything changes. Each file goes from old to new in one step, also in a crash. Paths are real ones that were
 * judged; their folders are held open, so a link that takes the place of one is not followed. Throws `FILE_CHANGED` when
 * a file or folder is not as it was any more, `FILE_HALF_DONE` when a failure could not be undone, or another `FILE_...`
 * error.
 */
export async function commit(writes: readonly FileWrite[], random: Random): Promise<void> {
  const undo: Undo[] = []
  const kept: Spot[] = []
  const folders = new OpenFolders()
  try {
    const works: Work[] = []
    for (const write of writes) works.push(await withFileName(write, () => prepare(write, folders, random, undo)))
    for (const work of works) await withFileName(work.write, () => stage(work, undo))
    for (const work of works) await withFileName(work.write, () => checkUnchanged(work))
    for (const work of works) undo.push(await withFileName(work.write, () => perform(work, writes.length > 1, kept)))
    await folders.flush()
  } catch (error) {
    await takeBack(undo, kept, error)
    throw error
  } finally {
    await Promise.all(kept.map((spot) => rm(reach(spot), { force: true })))
    await folders.close()
  }
}

/** A name in a folder that is held open. */
interface Spot {
  readonly folder: OpenFolder
  readonly name: string
}

/** A write, and the names that it needs. */
interface Work {
  readonly write: FileWrite
  readonly file: Spot
  /** The new text, beside the file. */
  readonly staged: Spot
  /** The old one, as long as it may be needed. */
  readonly kept: Spot
}

function reach({ folder, name }: Spot): string {
  return folder.at(name)
}

async function prepare(write: FileWrite, folders: OpenFolders, random: Random, undo: Undo[]): Promise<Work> {
  const folder = await folders.get(dirname(write.path), (step) => undo.push(step))
  const beside = (): Spot => ({ folder, name: `.svc-${random.hex(8)}.tmp` })
  return { write: write, file: { folder, name: basename(write.path) }, staged: beside(), kept: beside() }
}

/** Errors are about the file that is meant, not about the one beside it. */
async function withFileName<Result>({ path }: FileWrite, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step()
  } catch (error) {
    throw fileError(error, path)
  }
}

async function stage({ write, file, staged }: Work, undo: Undo[]): Promise<void> {
  const { before, mode, text } = write
  if (text === undefined) return
  await file.folder.check()
  const temporary = reach(staged)
  undo.push(() => rm(temporary, { force: true }))
  const handle = await open(temporary, 'wx', 0o666)
  try {
    await handle.writeFile(text)
    if (before !== undefined && process.getuid?.() === 0 && (before.uid || before.gid)) {
      await handle.chown(Number(before.uid), Number(before.gid))
    }
    const bits = before === undefined ? mode : Number(before.mode) & 0o7777
    if (bits !== undefined) await handle.chmod(bits)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function checkUnchanged({ write: { path, before }, file }: Work): Promise<void> {
  await file.folder.check()
  const now = await readStat(reach(file))
  if (before === undefined ? now === undefined : now !== undefined && createStamp(now) === createStamp(before)) return
  const advice = 'nothing was written. Read it again and repeat the change'
  throw new SvcError('FILE_CHANGED', `${showName(path)} was changed by another program at this moment; ${advice}.`)
}

/** What is at a real path, a link included; undefined when nothing is. */
export async function readStat(path: string): Promise<BigIntStats | undefined> {
  return lstat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}

/** Returns how to take it back. A single write needs no copy: it is done in one step. */
async function perform(work: Work, oneOfMany: boolean, kept: Spot[]): Promise<Undo> {
  const { before, text } = work.write
  await work.file.folder.check()
  const [file, staged, old] = [reach(work.file), reach(work.staged), reach(work.kept)]
  if (text === undefined) {
    kept.push(work.kept)
    await rename(file, old)
    return () => rename(old, file)
  }
  if (before === undefined) {
    await rename(staged, file)
    return () => rm(file, { force: true })
  }
  if (!oneOfMany) {
    await rename(staged, file)
    return async () => undefined
  }
  kept.push(work.kept)
  // Some file systems know no hard links.
  await link(file, old).catch(() => copyFile(file, old))
  await rename(staged, file)
  return () => rename(old, file)
}

async function takeBack(undo: Undo[], kept: Spot[], cause: unknown): Promise<void> {
  try {
    for (const step of undo.reverse()) await step()
  } catch (error) {
    // What could not be put back must not be removed.
    const names = kept.splice(0).map(({ folder, name }) => showName(join(folder.path, name)))
    const why = `${errorMessage(cause)} Taking back what was done failed, too: ${errorMessage(error)}`
    throw new SvcError('FILE_HALF_DONE', `${why} Old contents are in those of these that exist: ${names.join(', ')}.`, {
      cause,
    })
  }
}
