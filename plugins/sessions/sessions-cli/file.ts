/** Files that are written whole or not at all, piece by piece, and never over another one. */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { errorMessage, SvcError } from 'svc/sdk'

/** Returns once everything is on the disk. Only its owner may read it. Throws `SESSIONS_FILE`. */
export function writeNew(path: string, pieces: Iterable<string>): void {
  const file = attempt(path, () => openSync(path, 'wx', 0o600))
  try {
    for (const piece of pieces) writeAll(path, file, Buffer.from(piece))
    attempt(path, () => fsyncSync(file))
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

function writeAll(path: string, file: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += attempt(path, () => writeSync(file, bytes, done))
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const exists = (error as { code?: unknown }).code === 'EEXIST'
    const reason = exists ? 'it is there already; choose another name' : errorMessage(error)
    throw new SvcError('SESSIONS_FILE', `${path} cannot be written: ${reason}.`, { cause: error })
  }
}
