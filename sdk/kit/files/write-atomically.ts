/** Writes a file so that a crash, a full disk or a power cut leaves the old content or the new one. */
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** How a file is written. @since 0.1 */
export interface AtomicWriteOptions {
  /** Permission bits of a new file (default `0o600`). An old file keeps its own. */
  readonly mode?: number
  /** Gives an old file the mode, too (default false). */
  readonly enforceMode?: boolean
  /**
   * Set if the caller holds a lock on the file. The temporary file then has one name, so that the next write replaces
   * what a crash left (default false: the name contains the process id).
   */
  readonly isLocked?: boolean
}

/**
 * Replaces a file in one step: a temporary file beside it is flushed and renamed over it, then the folder is flushed. A
 * symbolic link is written through, and a file that root replaces keeps its owner. The folder must exist. Throws the
 * error of the system; the old file is then intact.
 * @since 0.1
 */
export async function writeAtomically(
  file: string,
  data: string | Uint8Array,
  options: AtomicWriteOptions = {},
): Promise<void> {
  const { target, old, temporary } = prepare(file, options)
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(data)
      await handle.sync()
    } finally {
      await handle.close()
    }
    replace(target, old, temporary, options)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  await flushFolder(dirname(target))
}

/**
 * The same without waiting, for work that must not be interrupted. Blocks the event loop until the disk has flushed.
 * @since 0.1
 */
export function writeAtomicallySync(file: string, data: string | Uint8Array, options: AtomicWriteOptions = {}): void {
  const { target, old, temporary } = prepare(file, options)
  try {
    writeFileSync(temporary, data, { mode: 0o600, flag: 'wx', flush: true })
    replace(target, old, temporary, options)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  flushFolderSync(dirname(target))
}

/** Whether a file is one that a cut write left: of any file, by its name. @since 0.2 */
export function isTemporaryName(name: string): boolean {
  return /^\..+\.svc-tmp$/.test(name)
}

/**
 * Makes renames in a folder survive a power cut. Does nothing where the system cannot flush folders, as on Windows: the
 * files are in place, and only their names could be lost.
 * @since 0.1
 */
export async function flushFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    await handle.sync().finally(() => handle.close())
  } catch {
    // See above.
  }
}

/** The same without waiting. @since 0.1 */
export function flushFolderSync(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // See above.
  }
}

/** The file behind symbolic links, even if it does not exist yet. Throws the error of the system. @since 0.1 */
export function resolveLink(file: string): string {
  try {
    return realpathSync(file)
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error
  }
  try {
    return resolve(dirname(file), readlinkSync(file))
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT' || getErrorCode(error) === 'EINVAL') return file
    throw error
  }
}

interface Prepared {
  readonly target: string
  readonly old: Stats | undefined
  readonly temporary: string
}

function prepare(file: string, { isLocked = false }: AtomicWriteOptions): Prepared {
  const target = resolveLink(file)
  const old = statSync(target, { throwIfNoEntry: false })
  if (old && !old.isFile()) throw new Error('It is not a regular file')
  const name = isLocked ? `.${basename(target)}.svc-tmp` : `.${basename(target)}.${process.pid}.svc-tmp`
  const temporary = join(dirname(target), name)
  rmSync(temporary, { force: true })
  return { target, old, temporary }
}

function replace(target: string, old: Stats | undefined, temporary: string, options: AtomicWriteOptions): void {
  const { mode = 0o600, enforceMode = false } = options
  chmodSync(temporary, old && !enforceMode ? old.mode & 0o7777 : mode)
  // Others than root cannot give files away, and theirs are their own.
  const isOthers = old && process.getuid?.() === 0 && (old.uid !== 0 || old.gid !== process.getgid?.())
  if (isOthers) chownSync(temporary, old.uid, old.gid)
  renameSync(temporary, target)
}

function getErrorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code
}
