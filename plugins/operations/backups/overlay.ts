/** Puts the files of an export over those of a home: on a copy of the home, which then takes its place. */
import { lstatSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'
import { flushFolder, getFolderNextTo } from 'svc/sdk/kit/files'
import { type ReadOptions, readArchive } from './archive-reader.ts'
import { requireKind } from './kind.ts'
import { exchange, setAside, unpack, writeParts } from './restore.ts'

export interface OverlayOptions {
  /** A backup of the home as it is. */
  readonly backup: ReadOptions
  readonly source: ReadOptions
  /** Which files of the export are taken. */
  readonly includes: (path: string) => boolean
  readonly dir: string
  readonly now: number
}

/** Throws as `restoreInPlace` does; `dir` is then as it was. */
export async function importInPlace(options: OverlayOptions) {
  const { backup, source, dir, now } = options
  const draft = getFolderNextTo(dir, 'restoring')
  rmSync(draft, { recursive: true, force: true })
  setAside(dir)
  await unpack(backup, draft)
  const files = await overlay(source, draft, options.includes)
  return { files, previous: exchange(dir, now) }
}

/** How many files were written. Links and empty folders of the export are not. */
async function overlay(source: ReadOptions, draft: string, includes: OverlayOptions['includes']): Promise<number> {
  let files = 0
  try {
    await readArchive(source, {
      head: (facts) => requireKind(facts, 'svc-export', source.file),
      async file(path, mode, parts) {
        if (!includes(path)) {
          // Read all the same: its hash is compared.
          for await (const _part of parts);
          return
        }
        makeFolder(draft, getAbove(path))
        rmSync(join(draft, path), { recursive: true, force: true })
        await writeParts(join(draft, path), mode, parts)
        files++
      },
    })
    await flushFolder(draft)
    return files
  } catch (cause) {
    rmSync(draft, { recursive: true, force: true })
    source.signal.throwIfAborted()
    if (cause instanceof SvcError) throw cause
    const message = `The export was not imported: ${errorMessage(cause)}. Nothing was changed.`
    throw new SvcError('BACKUP_FAILED', message, { status: 507, cause })
  }
}

/** A folder and those above it. A link or a file in its place is removed: nothing is written through a link. */
function makeFolder(draft: string, path: string): void {
  if (path === '') return
  makeFolder(draft, getAbove(path))
  const folder = join(draft, path)
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  rmSync(folder, { force: true })
  mkdirSync(folder, { mode: 0o700 })
}

function getAbove(path: string): string {
  return path.split('/').slice(0, -1).join('/')
}
