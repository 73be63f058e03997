/** Reads texts without harm and writes them so that a crash, a full disk or a cut leaves the old file or the new one. */
import { mkdir, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'
import { type AtomicWriteOptions, resolveLink, writeAtomically } from 'svc/sdk/kit/files'

/** A file as it is now; `text` is undefined if the file does not exist. */
export interface TextFile {
  readonly file: string
  readonly text: string | undefined
}

/** Reads UTF-8 text, byte order mark included. Throws `CONFIG_UNREADABLE`. */
export async function readText(file: string): Promise<TextFile> {
  let bytes: Uint8Array
  try {
    bytes = await readFile(file)
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return { file, text: undefined }
    throw new SvcError('CONFIG_UNREADABLE', `${file} cannot be read: ${errorMessage(error)}. Nothing was written.`, {
      cause: error,
    })
  }
  try {
    return { file, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch (error) {
    const message = `${file} is not UTF-8 text. Save it as UTF-8 in your editor. Nothing was written.`
    throw new SvcError('CONFIG_UNREADABLE', message, { cause: error })
  }
}

/**
 * Replaces a file in one step. The caller holds the lock, so no other process uses the temporary file. Creates the
 * folder. Throws `CONFIG_WRITE_FAILED`; the old file is then intact.
 */
export async function writeText(file: string, text: string, options: AtomicWriteOptions): Promise<void> {
  try {
    await mkdir(dirname(resolveLink(file)), { recursive: true, mode: 0o700 })
    await writeAtomically(file, text, { ...options, isLocked: true })
  } catch (error) {
    throw toWriteError(file, error)
  }
}

/** Removes a file, which may be gone. Throws `CONFIG_WRITE_FAILED`. */
export async function removeFile(file: string): Promise<void> {
  await rm(file, { force: true }).catch((error: unknown) => {
    throw toWriteError(file, error)
  })
}

/** Why a write failed and what to do about it. */
export function toWriteError(file: string, cause: unknown): SvcError {
  if (cause instanceof SvcError) return cause
  const advice: Readonly<Record<string, string>> = {
    ENOSPC: 'The disk is full: make room and try again.',
    EDQUOT: 'Your quota is used up: make room and try again.',
    EACCES: 'You have no right to write there: check the owner and mode of the file and its folder.',
    EPERM: 'You have no right to write there: check the owner and mode of the file and its folder.',
    EROFS: 'The file system is read-only: set SVC_HOME to a folder that can be written.',
  }
  const what = advice[getErrorCode(cause) ?? ''] ?? `${errorMessage(cause)}.`
  return new SvcError('CONFIG_WRITE_FAILED', `${file} could not be written. ${what} The old file is intact.`, { cause })
}

function getErrorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code
}
