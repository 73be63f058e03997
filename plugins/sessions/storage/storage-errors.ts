/** Turns what SQLite and the file system throw into errors for people. */
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'

const fullDisk = /^(SQLITE_FULL|ENOSPC|EDQUOT)/
const noRights = /^(SQLITE_(READONLY|PERM|AUTH|CANTOPEN)|EACCES|EPERM|EROFS)/
const badPlace = /^(SQLITE_IOERR|ENOENT|ENOTDIR|EEXIST|EISDIR|EIO|EMFILE|ENFILE|ELOOP|ENAMETOOLONG)/
const damaged = /^SQLITE_(CORRUPT|NOTADB|IOERR_CORRUPTFS)/
const busy = /^SQLITE_BUSY/
/** What SQLite says when the file beside the database that processes share cannot grow. */
const lackOfRoom = /^SQLITE_(IOERR|CANTOPEN)/
/** Less free space than SQLite's own files need to begin with. */
const LEAST_BYTES = 256 * 1024

function getErrorCode(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : ''
}

/** Whether SQLite says that the file is not a sound database. */
export function isDamage(error: unknown): boolean {
  return damaged.test(getErrorCode(error))
}

/** Whether SQLite gave up waiting for another process. */
export function isBusy(error: unknown): boolean {
  return busy.test(getErrorCode(error))
}

/** The error to throw for `error`, which came from working on `file`. Broken constraints and bad SQL stay as they are. */
export function explain(file: string, error: unknown): unknown {
  const code = getErrorCode(error)
  if (isDamage(error)) {
    const advice =
      'Run svc again, and restart its gateway if one runs: the next start sets the file aside and continues with the newest backup.'
    return new SvcError('STORAGE_CORRUPT', `The database ${file} is damaged (${errorMessage(error)}). ${advice}`, {
      repairedAtStart: true,
      cause: error,
    })
  }
  if (isBusy(error)) {
    const advice = 'Try again; if it stays locked, end the svc process that hangs.'
    return new SvcError('STORAGE_BUSY', `Another process keeps the database ${file} locked. ${advice}`, {
      status: 503,
      cause: error,
    })
  }
  const advice = adviceFor(code, file)
  if (!advice) return error
  return new SvcError('STORAGE_UNAVAILABLE', `Cannot use the database ${file} (${errorMessage(error)}). ${advice}`, {
    status: 503,
    cause: error,
  })
}

function adviceFor(code: string, file: string): string | undefined {
  if (fullDisk.test(code) || (lackOfRoom.test(code) && !hasRoom(file)))
    return 'The disk is full: free some space and try again.'
  if (noRights.test(code)) return 'Give yourself the right to read and write it and its folder.'
  if (badPlace.test(code)) return 'Check that its path leads through folders only and that the disk works.'
  return undefined
}

function hasRoom(file: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(file))
    return bavail * bsize >= LEAST_BYTES
  } catch {
    // The folder is not there: then that is what is wrong.
    return true
  }
}
