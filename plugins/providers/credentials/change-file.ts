/** Changes `auth.json` in one step, alone: a crash leaves the old file or the new one, and no other process loses anything. */
import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'
import { writeAtomically } from 'svc/sdk/kit/files'
import { type LockDeps, withLock } from './lock.ts'
import { emptyStore, parseStored, type Stored } from './stored-keys.ts'

/** Reads, lets `change` work on the copy, and writes it when it differs. Readable by the user only. */
export async function changeFile<T>(
  path: string,
  deps: LockDeps,
  change: (stored: Stored) => T | Promise<T>,
): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw writeFailed(path, error)
  })
  return withLock(`${path}.lock`, deps, async () => {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (getErrorCode(error) !== 'ENOENT') throw writeFailed(path, error)
    })
    const stored = text === undefined ? emptyStore() : parseStored(text, path)
    const before = JSON.stringify(stored)
    const result = await change(stored)
    if (JSON.stringify(stored) !== before) await replace(path, `${JSON.stringify(stored, undefined, 2)}\n`)
    return result
  })
}

async function replace(path: string, text: string): Promise<void> {
  try {
    await writeAtomically(path, text, { mode: 0o600, enforceMode: true, isLocked: true })
  } catch (error) {
    throw writeFailed(path, error)
  }
}

function writeFailed(path: string, cause: unknown): SvcError {
  const isFull = ['ENOSPC', 'EDQUOT'].includes(getErrorCode(cause) ?? '')
  const why = isFull ? 'The disk is full: make room and try again.' : `${errorMessage(cause)}.`
  return new SvcError('CREDENTIALS_WRITE_FAILED', `${path} could not be written. ${why} The old file is intact.`, {
    cause,
  })
}

function getErrorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code
}
