/** Snapshots of the state of a home: archives as backups are, without what is large or installed again. */
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, type Home, SvcError } from 'svc/sdk'
import { escapeUnseen } from 'svc/sdk/kit/terminal'
import type { Snapshot } from 'svc/sdk/operations'
import { readArchiveHead } from '../archive-reader.ts'
import type { ListedFile } from '../contents.ts'
import { type CreateDeps, createBackup } from '../create.ts'
import { findBackupFolder } from '../places.ts'

/** Bytes of a file that is neither a database nor of the user. */
const MAX_FILE = 2 ** 20
const MAX_LABEL = 80

export interface SnapshotDeps extends CreateDeps {
  /** Files and folders of the home, by their paths, that are of the user or hold keys. */
  readonly personal: readonly string[]
}

/**
 * Whether a file is state: all directly in the home (settings, keys), what is of the user, the databases of plugins, and small files in the
 * folders of plugins. Skills, installed plugins, media and profiles are not.
 */
export function isState({ path, bytes, rule }: ListedFile, personal: readonly string[]): boolean {
  const parts = path.split('/')
  if (parts.length === 1 || personal.some((each) => path === each || path.startsWith(`${each}/`))) return true
  return parts[0] === 'data' && (rule?.pin !== undefined || (parts.length === 3 && bytes <= MAX_FILE))
}

/** Throws as `createBackup` does. */
export async function createSnapshot(deps: SnapshotDeps, label: string, signal: AbortSignal) {
  const name = escapeUnseen(label.trim()).slice(0, MAX_LABEL)
  const made = await createBackup(
    deps,
    { file: proposeFile(deps.home, deps.clock), signal },
    {
      kind: 'svc-snapshot',
      includes: (_, listed) => isState(listed, deps.personal),
      ...(name !== '' && { label: name }),
    },
  )
  return { ...made, id: findId(deps.home, made.file) ?? '' }
}

/** The newest first. One that cannot be read is without a label, and says why when it is restored. */
export async function listSnapshots({ home, program }: CreateDeps, signal: AbortSignal): Promise<readonly Snapshot[]> {
  const read = async (file: string) =>
    readArchiveHead({ file, passphrase: async () => '', program, signal }).catch(() => undefined)
  return Promise.all(
    listFiles(home).map(async ({ id, file, bytes, changedAt }, at) => {
      const head = await read(file)
      const created = head?.created ?? new Date(changedAt).toISOString()
      return {
        ...{ number: at + 1, id, file, bytes, created },
        ...(head?.label !== undefined && { label: head.label }),
      }
    }),
  )
}

/** By its number in the list or its id. Throws `SNAPSHOT_UNKNOWN`. */
export async function findSnapshot(deps: CreateDeps, which: string, signal: AbortSignal): Promise<Snapshot> {
  const all = await listSnapshots(deps, signal)
  const found = all.find(({ id, number }) => id === which || String(number) === which)
  if (found) return found
  const message = `There is no snapshot ${JSON.stringify(which.slice(0, 40))}. svc snapshot list shows their numbers.`
  throw new SvcError('SNAPSHOT_UNKNOWN', message, { status: 404 })
}

/** Removes all but the newest. Returns how many it removed. */
export function prune(home: Home, keep: number): number {
  const old = listFiles(home).slice(keep)
  for (const { file } of old) rmSync(file, { force: true })
  return old.length
}

function listFiles(home: Home) {
  const folder = findBackupFolder(home)
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names
    .flatMap((name) => {
      const file = join(folder, name)
      const [id, stats] = [findId(home, file), lstatSync(file, { throwIfNoEntry: false })]
      return id !== undefined && stats?.isFile() ? [{ id, file, bytes: stats.size, changedAt: stats.mtimeMs }] : []
    })
    .sort((one, two) => (one.id < two.id ? 1 : -1))
}

/** Undefined for a file that is not a snapshot of this home: those of its profiles are next to it. */
function findId(home: Home, file: string): string | undefined {
  const start = join(findBackupFolder(home), getPrefix(home))
  const rest = file.startsWith(start) ? file.slice(start.length) : ''
  return /^(\d{4}-\d{2}-\d{2}-\d{6})\.tar\.gz$/.exec(rest)?.[1]
}

function getPrefix({ profile }: Home): string {
  return profile === undefined ? 'snapshot-' : `snapshot-${profile}-`
}

/** A path that is free and sorts behind all others, also after the clock was set back. */
function proposeFile(home: Home, clock: Clock): string {
  const [newest] = listFiles(home)
  const at = Math.max(clock.now(), newest === undefined ? 0 : readTime(newest.id) + 1000)
  const id = new Date(at).toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-')
  return join(findBackupFolder(home), `${getPrefix(home)}${id}.tar.gz`)
}

function readTime(id: string): number {
  return Date.parse(id.replace(/^(.{10})-(..)(..)(..)$/, '$1T$2:$3:$4Z'))
}
