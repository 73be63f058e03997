/** Restores a backup: unpacked next to the home and compared, then put in its place by two renames. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { chmod, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'
import { flushFolder, getFolderNextTo, switchFolder } from 'svc/sdk/kit/files'
import { type ReadOptions, readArchive } from './archive-reader.ts'
import type { BackupHead } from './facts.ts'
import { listReplaced, nameReplaced } from './places.ts'

/** Homes that restores replaced and that stay. */
const KEEP_REPLACED = 2

export interface Restored {
  readonly head: BackupHead
  readonly files: number
  /** The home that was replaced; undefined when there was none. */
  readonly previous: string | undefined
}

/** Puts the home of a backup in the place of `dir`. Throws as `readArchive` does, and `BACKUP_FAILED`; `dir` is then as it was. */
export async function restoreInPlace(options: ReadOptions, dir: string, now: number): Promise<Restored> {
  const draft = getFolderNextTo(dir, 'restoring')
  rmSync(draft, { recursive: true, force: true })
  setAside(dir)
  const { head, files } = await unpack(options, draft)
  return { head, files, previous: exchange(dir, now) }
}

/** Puts what was unpacked for `dir` in its place. Returns where the home before is. Throws `BACKUP_FAILED`. */
export function exchange(dir: string, now: number): string | undefined {
  const [draft, next] = [getFolderNextTo(dir, 'restoring'), getFolderNextTo(dir, 'next')]
  try {
    renameSync(draft, next)
    const previous = existsSync(dir) ? nameReplaced(dir, now) : undefined
    if (previous === undefined) renameSync(next, dir)
    else switchFolder(dir, previous)
    for (const old of listReplaced(dir).slice(KEEP_REPLACED)) rmSync(old, { recursive: true, force: true })
    return previous
  } catch (cause) {
    for (const left of [draft, next]) rmSync(left, { recursive: true, force: true })
    const message = `${dir} cannot be replaced: ${errorMessage(cause)}. It is as it was. Restore into another folder with --to and name that in SVC_HOME.`
    throw new SvcError('BACKUP_FAILED', message, { cause })
  }
}

/** Puts the home of a backup into a new folder. Throws as `readArchive` does, `BACKUP_TARGET` and `BACKUP_FAILED`. */
export async function restoreInto(options: ReadOptions, dir: string): Promise<Restored> {
  if (existsSync(dir) && readdirSync(dir).length > 0)
    throw new SvcError('BACKUP_TARGET', `${dir} is not empty. Choose a new folder with --to.`, { status: 409 })
  if (!existsSync(dirname(dir)))
    throw new SvcError('BACKUP_TARGET', `There is no folder ${dirname(dir)}. Create it, or choose another one.`, {
      status: 404,
    })
  const draft = getFolderNextTo(dir, 'restoring')
  rmSync(draft, { recursive: true, force: true })
  const { head, files } = await unpack(options, draft)
  renameSync(draft, dir)
  await flushFolder(dirname(dir))
  return { head, files, previous: undefined }
}

/** Exchanges the home with the one that the last restore replaced; where the present one is then. Throws `BACKUP_TARGET`. */
export function undoRestore(dir: string, now: number): { readonly restored: string; readonly previous: string } {
  setAside(dir)
  const [restored] = listReplaced(dir)
  if (restored === undefined)
    throw new SvcError('BACKUP_TARGET', 'No restore can be undone: none replaced a home here.', { status: 404 })
  const previous = nameReplaced(dir, now)
  renameSync(restored, getFolderNextTo(dir, 'next'))
  switchFolder(dir, previous)
  return { restored, previous }
}

/** A home that was to take the place of `dir` when the process was killed: it may be the only one of its kind. */
export function setAside(dir: string): void {
  const next = getFolderNextTo(dir, 'next')
  const left = statSync(next, { throwIfNoEntry: false })
  if (left) renameSync(next, nameReplaced(dir, left.mtimeMs))
}

/** Into a new folder, which goes when it fails. */
export async function unpack(options: ReadOptions, draft: string) {
  const modes = new Map<string, number>()
  try {
    mkdirSync(draft, { mode: 0o700 })
    const { head, manifest } = await readArchive(options, {
      folder(path, mode) {
        modes.set(path, mode)
        mkdirSync(join(draft, path), { mode: 0o700 })
      },
      file: (path, mode, parts) => writeParts(join(draft, path), mode, parts),
    })
    // Links last: nothing is written through one.
    for (const [path, to] of Object.entries(manifest.links)) symlinkSync(to, join(draft, path))
    for (const [path, mode] of [...modes].reverse()) {
      await chmod(join(draft, path), mode | 0o700)
      await flushFolder(join(draft, path))
    }
    await flushFolder(draft)
    return { head, files: Object.keys(manifest.files).length }
  } catch (cause) {
    rmSync(draft, { recursive: true, force: true })
    options.signal.throwIfAborted()
    if (cause instanceof SvcError) throw cause
    const message = `The backup was not restored: ${errorMessage(cause)}. Nothing was changed.`
    throw new SvcError('BACKUP_FAILED', message, { status: 507, cause })
  }
}

export async function writeParts(file: string, mode: number, parts: AsyncIterable<Uint8Array>): Promise<void> {
  // Not for others than its owner, whatever the archive says.
  const handle = await open(file, 'wx', mode & 0o700)
  try {
    for await (const part of parts) await handle.writeFile(part)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
