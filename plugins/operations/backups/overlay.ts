/** Puts the files of an export or a snapshot over those of a home: on a copy of the home, which then takes its place. */
import { lstatSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'
import { flushFolder, getFolderNextTo } from 'svc/sdk/kit/files'
import { type ReadOptions, readArchive } from './archive-reader.ts'
import type { BackupHead } from './facts.ts'
import { requireKind } from './kind.ts'
import { exchange, setAside, unpack, writeParts } from './restore.ts'

export interface OverlayOptions {
  /** A backup of the home as it is. */
  readonly backup: ReadOptions
  readonly source: ReadOptions
  readonly kind: BackupHead['kind']
  /** Which files of the archive are taken. */
  readonly includes: (path: string) => boolean
  /** Told of the copy of the home once the files are in it, with their paths: to remove what does not go with them. */
  readonly complete?: (draft: string, written: ReadonlySet<string>) => void
  readonly dir: string
  readonly now: number
}

/** Throws as `restoreInPlace` does; `dir` is then as it was. */
export async function importInPlace(options: OverlayOptions) {
  const { backup, dir, now } = options
  const draft = getFolderNextTo(dir, 'restoring')
  rmSync(draft, { recursive: true, force: true })
  setAside(dir)
  await unpack(backup, draft)
  const files = await overlay(options, draft)
  return { files, previous: exchange(dir, now) }
}

/** How many files were written. Links and empty folders of the archive are not. */
async function overlay({ source, kind, includes, complete }: OverlayOptions, draft: string): Promise<number> {
  const written = new Set<string>()
  try {
    await readArchive(source, {
      head: (facts) => requireKind(facts, kind, source.file),
      async file(path, mode, parts) {
        if (!includes(path)) {
          // Read all the same: its hash is compared.
          for await (const _part of parts);
          return
        }
        makeFolder(draft, getAbove(path))
        rmSync(join(draft, path), { recursive: true, force: true })
        await writeParts(join(draft, path), mode, parts)
        written.add(path)
      },
    })
    complete?.(draft, written)
    await flushFolder(draft)
    return written.size
  } catch (cause) {
    rmSync(draft, { recursive: true, force: true })
    source.signal.throwIfAborted()
    if (cause instanceof SvcError) throw cause
    const what = kind === 'svc-snapshot' ? 'The snapshot was not restored' : 'The export was not imported'
    const message = `${what}: ${errorMessage(cause)}. Nothing was changed.`
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
