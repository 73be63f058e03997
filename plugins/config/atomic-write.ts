/** Reads texts without harm and writes them so that a crash, a full disk or a cut leaves the old file or the new one. */
import { chmod, chown, mkdir, open, readFile, readlink, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'

/** A file as it is now; `text` is undefined when there is none. */
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
    if (codeOf(error) === 'ENOENT') return { file, text: undefined }
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

/** How a file is written. */
export interface WriteOptions {
  /** The mode of a new file. An old one keeps its own. */
  readonly mode: number
  /** Also an old file gets the mode. */
  readonly enforceMode?: boolean
}

/**
 * Replaces a file in one step: a temporary file beside it, flushed, then renamed over it. A link is written through.
 * The caller holds the lock, so the temporary file is nobody else's. Throws `CONFIG_WRITE_FAILED`; the old file is intact.
 */
export async function writeText(file: string, text: string, options: WriteOptions): Promise<void> {
  let temporary: string | undefined
  try {
    const target = await resolveLink(file)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    const old = await stat(target).catch(missing)
    if (old && !old.isFile()) throw new Error('It is not a regular file')
    const path = join(dirname(target), `.${basename(target)}.svc-tmp`)
    await rm(path, { force: true })
    temporary = path
    await writeFlushed(path, text, old && !options.enforceMode ? old.mode & 0o7777 : options.mode)
    if (old) await keepOwner(path, old)
    await rename(path, target)
    temporary = undefined
    await flushFolder(dirname(target))
  } catch (error) {
    if (temporary) await rm(temporary, { force: true })
    throw writeFailed(file, error)
  }
}

/** Removes a file, which may be gone. Throws `CONFIG_WRITE_FAILED`. */
export async function removeFile(file: string): Promise<void> {
  await rm(file, { force: true }).catch((error: unknown) => {
    throw writeFailed(file, error)
  })
}

/** The real file behind links, also when it does not exist yet. */
export async function resolveLink(file: string): Promise<string> {
  try {
    return await realpath(file)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw writeFailed(file, error)
  }
  const target = await readlink(file).catch(missing)
  return target === undefined ? file : resolve(dirname(file), target)
}

/** Why a write failed and what to do about it. */
export function writeFailed(file: string, cause: unknown): SvcError {
  if (cause instanceof SvcError) return cause
  const advice: Readonly<Record<string, string>> = {
    ENOSPC: 'The disk is full: make room and try again.',
    EDQUOT: 'Your quota is used up: make room and try again.',
    EACCES: 'You have no right to write there: check the owner and mode of the file and its folder.',
    EPERM: 'You have no right to write there: check the owner and mode of the file and its folder.',
    EROFS: 'The file system is read-only: set SVC_HOME to a folder that can be written.',
  }
  const what = advice[codeOf(cause) ?? ''] ?? `${errorMessage(cause)}.`
  return new SvcError('CONFIG_WRITE_FAILED', `${file} could not be written. ${what} The old file is intact.`, { cause })
}

async function writeFlushed(path: string, text: string, mode: number): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await chmod(path, mode)
}

/** A file that root edits stays its owner's; others cannot give files away, and theirs are their own. */
async function keepOwner(path: string, old: { uid: number; gid: number }): Promise<void> {
  if (process.getuid?.() === 0 && (old.uid !== 0 || old.gid !== process.getgid?.())) await chown(path, old.uid, old.gid)
}

/** Lets the rename itself survive a power cut, where the system can flush folders. */
async function flushFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    await handle.sync().finally(() => handle.close())
  } catch {
    // The new file is in place; a failed flush leaves only its surviving a power cut open, as on Windows.
  }
}

function missing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EINVAL') throw error
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code
}
