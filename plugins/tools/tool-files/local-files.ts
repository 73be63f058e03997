/** The files of this machine, by descriptors that are held open while they are judged and used. */
import { type BigIntStats, constants } from 'node:fs'
import { access, realpath } from 'node:fs/promises'
import { SvcError } from 'svc/sdk'
import type { ExistingFile, FileAccess } from './access.ts'
import { commit, readStat } from './commit.ts'
import { missing } from './file-error.ts'
import { findTarget } from './link-target.ts'
import { type Judge, movedAway, openReadable } from './opened.ts'
import { findOrigin } from './origin.ts'
import { absolutePath, showName } from './paths.ts'
import { checkReadable, checkWritable, isReadable } from './protection.ts'
import { createStamp } from './read-history.ts'
import type { FileDeps } from './tools.ts'

/** With what the system said of it. */
interface ExistingHere extends ExistingFile {
  readonly stats: BigIntStats
}

/** Relative paths start at `cwd`. */
export function accessHere(judge: Judge, cwd: string, deps: FileDeps): FileAccess {
  const { places } = judge
  const readable = async (path: string) => {
    const asked = absolutePath(path, cwd)
    const real = await realpath(asked).catch((error: unknown) => missing(error, asked))
    checkReadable(real, places)
    return real
  }
  return {
    async readable(path) {
      await readable(path)
      const target = await findTarget(absolutePath(path, cwd), cwd)
      // The way to it may be another one by now.
      checkReadable(target.path, places)
      return target
    },
    async writable(path) {
      const asked = absolutePath(path, cwd)
      if (/[/\\]$/.test(path.trim()) && !path.endsWith('\\')) throw namesFolder(path)
      const target = await findTarget(asked, cwd)
      checkWritable(target.path, places)
      return target
    },
    isReadable: (path) => isReadable(path, places),
    checkReadable: (path) => checkReadable(path, places),
    examine,
    async open(path) {
      const { file, stats, path: real } = await openReadable(await readable(path), judge)
      const close = () => file.close()
      return { source: file, size: Number(stats.size), stamp: createStamp(stats), path: real, close }
    },
    async readWhole(path) {
      const { file } = await openReadable(path, judge)
      try {
        return await file.readFile()
      } finally {
        await file.close()
      }
    },
    commit: (writes) =>
      commit(
        writes.map(({ before, ...write }) => ({ ...write, before: (before as ExistingHere | undefined)?.stats })),
        deps.random(),
      ),
    async stamp(path) {
      const stats = await readStat(path)
      return stats && createStamp(stats)
    },
    key: (path) => path,
    origin: (paths) => findOrigin(paths, cwd),
  }
}

/** A path with a slash at its end. */
export function namesFolder(path: string): SvcError {
  return new SvcError('FILE_IS_FOLDER', `${showName(path)} names a folder; name the file to write in it.`)
}

async function examine(path: string): Promise<ExistingHere | undefined> {
  const stats = await readStat(path)
  if (stats === undefined) return undefined
  if (stats.isDirectory()) throw isFolder(path)
  if (stats.isSymbolicLink()) throw movedAway(path)
  if (!stats.isFile()) throw isSpecial(path)
  // Replacing needs rights to the folder only; a file that may not be changed is to stay as it is all the same.
  await access(path, constants.W_OK)
  return { stats, size: Number(stats.size), mode: Number(stats.mode) & 0o7777, stamp: createStamp(stats) }
}

/** A folder where a file is to be written. */
export function isFolder(path: string): SvcError {
  return new SvcError('FILE_IS_FOLDER', `${showName(path)} is a folder; name the file to write in it.`)
}

/** What is never written. */
export function isSpecial(path: string): SvcError {
  return new SvcError('FILE_NOT_REGULAR', `${showName(path)} is a device, pipe or socket; it is not written.`)
}
