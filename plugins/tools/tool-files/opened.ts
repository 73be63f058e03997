/** Files that are open: what is judged is what is read, whatever happens to the path meanwhile. */
import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises'
import { SvcError } from 'svc/sdk'
import { fileError } from './file-error.ts'
import { showName } from './paths.ts'
import { checkReadable, type ProtectedFolders, refuseSecondName } from './protection.ts'
import type { SecretFiles } from './secret-files.ts'

/** What a file is judged by. */
export interface Judge {
  readonly places: ProtectedFolders
  readonly secrets: SecretFiles
}

/** An ordinary file that may be read. The caller closes it. */
export interface OpenedFile {
  readonly file: FileHandle
  readonly stats: BigIntStats
  /** Where it really is. */
  readonly path: string
}

/**
 * Opens an ordinary file that may be read and nothing else, and says what it is now. Judged is the descriptor: a link that
 * takes the place of a folder between a look at the path and the opening leads nowhere. Not blocking: a named pipe
 * without a writer would wait for ever. Throws a `FILE_...` error.
 */
export async function openReadable(path: string, { places, secrets }: Judge): Promise<OpenedFile> {
  checkReadable(path, places)
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    // A socket cannot be opened at all.
    if ((error as NodeJS.ErrnoException).code === 'ENXIO') throw notRegular(path)
    throw fileError(error, path)
  })
  try {
    const stats = await file.stat({ bigint: true })
    const real = await findRealPath(file, path, stats)
    checkReadable(real, places)
    if (stats.isDirectory()) {
      throw new SvcError('FILE_IS_FOLDER', `${showName(path)} is a folder; list_files shows what is in it.`)
    }
    if (!stats.isFile()) throw notRegular(path)
    if (stats.nlink > 1n && (await secrets.has(stats, places))) throw refuseSecondName(path)
    return { file, stats, path: real }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Where an open file or folder really is. Throws `FILE_CHANGED` where that cannot be told. */
export async function findRealPath(file: FileHandle, path: string, stats: BigIntStats): Promise<string> {
  if (process.platform === 'linux') {
    const real = await readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined)
    // One that was replaced or removed a moment ago keeps its name.
    if (real?.startsWith('/')) return stats.nlink === 0n ? real.replace(/ \(deleted\)$/, '') : real
  }
  const real = await realpath(path).catch(() => undefined)
  const now = real === undefined ? undefined : await stat(real, { bigint: true }).catch(() => undefined)
  if (real !== undefined && now?.dev === stats.dev && now.ino === stats.ino) return real
  throw movedAway(path)
}

/** A folder on the way is not what it was when the path was judged. */
export function movedAway(path: string): SvcError {
  const what = `${showName(path)} was moved or replaced by a link at this moment`
  return new SvcError('FILE_CHANGED', `${what}; nothing was read or written. Repeat the call.`)
}

/** For what is neither a file nor a folder. */
export function notRegular(path: string): SvcError {
  return new SvcError(
    'FILE_NOT_REGULAR',
    `${showName(path)} is a device, pipe or socket; only ordinary files are read.`,
  )
}
