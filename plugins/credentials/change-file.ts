/** Changes `auth.json` in one step, alone: a crash leaves the old file or the new one, and no other process loses anything. */
import { mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'
import { type LockHost, withLock } from './lock.ts'
import { emptyStore, parseStored, type Stored } from './stored.ts'

/** Reads, lets `change` work on the copy, and writes it when it differs. Readable by the user only. */
export async function changeFile<T>(
  path: string,
  host: LockHost,
  change: (stored: Stored) => T | Promise<T>,
): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw writeFailed(path, error)
  })
  return withLock(`${path}.lock`, host, async () => {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw writeFailed(path, error)
    })
    const stored = text === undefined ? emptyStore() : parseStored(text, path)
    const before = JSON.stringify(stored)
    const result = await change(stored)
    if (JSON.stringify(stored) !== before) await replace(path, `${JSON.stringify(stored, undefined, 2)}\n`)
    return result
  })
}

/** A link is written through. The lock makes the temporary file nobody else's. */
async function replace(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path)
  const temporary = `${target}.svc-tmp`
  try {
    await rm(temporary, { force: true })
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, target)
    await flushFolder(dirname(target))
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw writeFailed(path, error)
  }
}

/** Lets the rename itself survive a power cut, where the system can flush folders. */
async function flushFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    await handle.sync().finally(() => handle.close())
  } catch {
    // The new file is in place; only its surviving a power cut stays open, as on Windows.
  }
}

function writeFailed(path: string, cause: unknown): SvcError {
  const isFull = ['ENOSPC', 'EDQUOT'].includes(codeOf(cause) ?? '')
  const why = isFull ? 'The disk is full: make room and try again.' : `${errorMessage(cause)}.`
  return new SvcError('CREDENTIALS_WRITE_FAILED', `${path} could not be written. ${why} The old file is intact.`, {
    cause,
  })
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code
}
