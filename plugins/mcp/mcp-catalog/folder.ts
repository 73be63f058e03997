/** `SVC_HOME/mcp-installs/<name>`: made as a whole or not at all. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, type Random, SvcError } from 'svc/sdk'
import { withFileLock } from 'svc/sdk/kit/process'

/** What is needed of the caller. */
export interface FolderDeps {
  /** `SVC_HOME/mcp-installs`. */
  readonly root: string
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly random: Pick<Random, 'hex' | 'next'>
}

/**
 * Runs `fill`, which makes the folder of `name`, and `commit`. If one of them fails, the folder is as it was before. The
 * folder has its final path from the beginning, as programs that are built in it may hold that path.
 */
export async function replaceFolder<T>(
  { root, clock, random }: FolderDeps,
  name: string,
  fill: (dir: string) => Promise<T>,
  commit: (filled: T) => Promise<void>,
): Promise<T> {
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 })
    return await replaceLocked({ root, clock, random }, name, fill, commit)
  } catch (error) {
    throw explainDisk(error, root)
  }
}

async function replaceLocked<T>(
  { root, clock, random }: FolderDeps,
  name: string,
  fill: (dir: string) => Promise<T>,
  commit: (filled: T) => Promise<void>,
): Promise<T> {
  const [dir, before] = [join(root, name), join(root, `.before-${name}`)]
  const onTimeout = () =>
    new SvcError('MCP_CATALOG_BUSY', `Another process is installing ${name}. Wait for it to end.`, { status: 409 })
  return withFileLock({ file: join(root, `.${name}.lock`), clock, random, waitMs: 2000, onTimeout }, async () => {
    // An installation that was killed left the earlier folder aside: it is the one that config.yaml means.
    if (existsSync(before)) restore(dir, before)
    if (existsSync(dir)) renameSync(dir, before)
    try {
      const filled = await fill(dir)
      await commit(filled)
      rmSync(before, { recursive: true, force: true })
      return filled
    } catch (error) {
      if (existsSync(before)) restore(dir, before)
      else rmSync(dir, { recursive: true, force: true })
      throw error
    }
  })
}

const REFUSALS = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EEXIST', 'EIO'])

/** A disk that cannot be written, in words; other errors as they are. */
function explainDisk(error: unknown, root: string): unknown {
  const { code = '', message, syscall } = (error ?? {}) as NodeJS.ErrnoException
  // Node says so of folders that it is to make with those above them on a read-only disk.
  const isRefusal = REFUSALS.has(code) || (code === 'ENOENT' && syscall === 'mkdir')
  if (error instanceof SvcError || !isRefusal) return error
  return new SvcError('MCP_CATALOG_DISK', `${root} cannot be written (${message}). Nothing was installed.`, {
    cause: error,
  })
}

function restore(dir: string, before: string): void {
  rmSync(dir, { recursive: true, force: true })
  renameSync(before, dir)
}

/** The folder of an entry; undefined if it has no folder. */
export function findInstalled(root: string, name: string): string | undefined {
  const dir = join(root, name)
  return /^[A-Za-z0-9_-]+$/.test(name) && existsSync(dir) ? dir : undefined
}

/** Removes the folder of an entry; false if there was none. */
export function removeInstalled(root: string, name: string): boolean {
  const dir = join(root, name)
  const isThere = existsSync(dir)
  for (const each of [dir, join(root, `.before-${name}`)]) rmSync(each, { recursive: true, force: true })
  return isThere
}
