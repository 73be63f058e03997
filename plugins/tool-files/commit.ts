/** Changes of files on disk: whole or not at all, and one writer of a file at a time. */
import type { BigIntStats } from 'node:fs'
import { chmod, chown, copyFile, link, mkdir, open, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { errorMessage, type Random, SvcError } from 'svc/sdk'
import { fileError } from './file-error.ts'
import { stampOf } from './ledger.ts'
import { showName } from './paths.ts'

/** One file that is to be written or removed. */
export interface Deed {
  readonly path: string
  /** What was there when the new text was made; undefined when nothing was. */
  readonly before: BigIntStats | undefined
  /** Undefined: removed. */
  readonly text: string | undefined
  /** Permission bits of a new file. */
  readonly mode?: number | undefined
}

type Undo = () => Promise<unknown>

/** Lets one piece of work at a time have a path. In the order of asking, so nobody waits in a circle. */
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
 * Does all deeds or, when one fails, none: new texts are first written beside their files, so a full disk is found out
 * before anything changes. Each file goes from old to new in one step, also in a crash. Throws `FILE_CHANGED` when one is
 * not as it was any more, `FILE_HALF_DONE` when a failure could not be undone, or another `FILE_...` error.
 */
export async function commit(deeds: readonly Deed[], random: Random): Promise<void> {
  const undo: Undo[] = []
  const kept: string[] = []
  const beside = (path: string) => join(dirname(path), `.svc-${random.hex(8)}.tmp`)
  const keep = (path: string) => {
    const name = beside(path)
    kept.push(name)
    return name
  }
  try {
    const staged: (string | undefined)[] = []
    for (const deed of deeds) staged.push(await named(deed, () => stage(deed, beside(deed.path), undo)))
    for (const deed of deeds) await named(deed, () => checkUnchanged(deed))
    for (const [at, deed] of deeds.entries())
      undo.push(await named(deed, () => perform(deed, staged[at], deeds.length > 1, keep)))
  } catch (error) {
    await takeBack(undo, kept, error)
    throw error
  } finally {
    await Promise.all(kept.map((name) => rm(name, { force: true })))
  }
}

/** Errors are about the file that is meant, not about the one beside it. */
async function named<Result>({ path }: Deed, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step()
  } catch (error) {
    throw fileError(error, path)
  }
}

async function stage(deed: Deed, temporary: string, undo: Undo[]): Promise<string | undefined> {
  const { path, before, mode, text } = deed
  if (text === undefined) return undefined
  const folder = dirname(path)
  const made = await mkdir(folder, { recursive: true })
  if (made !== undefined) undo.push(() => removeFolders(made, folder))
  undo.push(() => rm(temporary, { force: true }))
  const file = await open(temporary, 'wx', 0o666)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  if (before !== undefined && process.getuid?.() === 0 && (before.uid || before.gid)) {
    await chown(temporary, Number(before.uid), Number(before.gid))
  }
  const bits = before === undefined ? mode : Number(before.mode) & 0o7777
  if (bits !== undefined) await chmod(temporary, bits)
  return temporary
}

async function checkUnchanged({ path, before }: Deed): Promise<void> {
  const now = await statOf(path)
  if (before === undefined ? now === undefined : now !== undefined && stampOf(now) === stampOf(before)) return
  const advice = 'nothing was written. Read it again and repeat the change'
  throw new SvcError('FILE_CHANGED', `${showName(path)} was changed by somebody else at this moment; ${advice}.`)
}

/** What is at a path; undefined when nothing is. */
export async function statOf(path: string): Promise<BigIntStats | undefined> {
  return stat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}

/** Returns how to take it back. A deed that is alone needs no copy: it is done in one step. */
async function perform(
  { path, before, text }: Deed,
  staged: string | undefined,
  oneOfMany: boolean,
  keep: (path: string) => string,
): Promise<Undo> {
  if (text === undefined || staged === undefined) {
    const kept = keep(path)
    await rename(path, kept)
    return () => rename(kept, path)
  }
  if (before === undefined) {
    await rename(staged, path)
    return () => rm(path, { force: true })
  }
  if (!oneOfMany) {
    await rename(staged, path)
    return async () => undefined
  }
  const kept = keep(path)
  // Some file systems know no hard links.
  await link(path, kept).catch(() => copyFile(path, kept))
  await rename(staged, path)
  return () => rename(kept, path)
}

async function takeBack(undo: Undo[], kept: string[], cause: unknown): Promise<void> {
  try {
    for (const step of undo.reverse()) await step()
  } catch (error) {
    // What could not be put back must not be removed.
    const names = kept.splice(0).map(showName).join(', ')
    const why = `${errorMessage(cause)} Taking back what was done failed, too: ${errorMessage(error)}`
    throw new SvcError('FILE_HALF_DONE', `${why} Old contents are in those of these that exist: ${names}.`, { cause })
  }
}

/** From the innermost to the first that was made, as long as nobody else put something into them. */
async function removeFolders(first: string, innermost: string): Promise<void> {
  for (let folder = innermost; !relative(first, folder).startsWith('..'); folder = dirname(folder)) {
    const removed = await rmdir(folder).then(
      () => true,
      () => false,
    )
    if (!removed) return
  }
}
