/** Keeps the store small: old snapshots go, then those beyond the number for a project, then the oldest until all fit. */
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { CheckpointSummary } from 'svc/sdk/sessions'
import type { Git } from './git.ts'
import { REF_FORMAT, readRef, type Snapshot } from './record.ts'

const DAY_MS = 86_400_000
const MEGABYTE = 1_000_000
const COLLECT_MS = 600_000
/** Objects younger than this may belong to a snapshot that is being made. */
const GRACE = '10.minutes.ago'
const MAX_ROUNDS = 6

/** What may be kept. */
export interface Retention {
  readonly maxSnapshots: number
  readonly maxTotalMb: number
  readonly days: number
}

/** What was done. */
export interface Pruned {
  readonly removed: number
  readonly kept: number
  /** Of the store, before and after. */
  readonly bytesBefore: number
  readonly bytes: number
}

/** `forget` is called with each project that lost its newest snapshot. */
export async function prune(
  git: Git,
  { dir, retention, now }: { readonly dir: string; readonly retention: Retention; readonly now: number },
  forget: (key: string) => Promise<void>,
): Promise<Pruned> {
  const bytesBefore = await measureFolder(dir)
  const all = await allSnapshots(git)
  let kept = all.filter((snapshot) => isYoung(snapshot, retention, now))
  kept = [...byProject(kept).values()].flatMap((snapshots) => snapshots.slice(0, retention.maxSnapshots))
  await drop(git, all, kept, forget)
  await dropStates(git, kept, forget)
  await collect(git)
  let bytes = await measureFolder(dir)
  for (let round = 0; bytes > retention.maxTotalMb * MEGABYTE && kept.length > 0 && round < MAX_ROUNDS; round++) {
    const fewer = withoutOldest(kept)
    await drop(git, kept, fewer, forget)
    kept = fewer
    await collect(git)
    bytes = await measureFolder(dir)
  }
  return { removed: all.length - kept.length, kept: kept.length, bytesBefore, bytes }
}

/** Removes what one project has too many of. */
export async function trim(git: Git, snapshots: readonly Snapshot[], most: number): Promise<void> {
  await remove(git, snapshots.slice(most))
}

/** Of all projects, each project's newest first. */
export async function allSnapshots(git: Git): Promise<Snapshot[]> {
  const output = await git.run(['for-each-ref', '--sort=-refname', `--format=${REF_FORMAT}`, 'refs/snapshots/'])
  return output.split('\n').flatMap((line) => readRef(line) ?? [])
}

/** Bytes of all files in a folder. */
export async function measureFolder(dir: string): Promise<number> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => [])
  const sizes = entries.map(async (entry) => {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) return measureFolder(path)
    // A file may go while it is counted.
    return stat(path).then(
      ({ size }) => size,
      () => 0,
    )
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** The snapshots of a missing folder are useless, unless it went missing today or together with its parent. */
function isYoung({ at, root, isElsewhere }: Snapshot, { days }: Retention, now: number): boolean {
  const isOrphan = !isElsewhere && !existsSync(root) && existsSync(dirname(root))
  return now - at <= (isOrphan ? Math.min(1, days) : days) * DAY_MS
}

/** The project of a ref. */
export const getProjectKey = ({ ref }: { readonly ref: string }) => ref.split('/')[2] ?? ''

function byProject(snapshots: readonly Snapshot[]): Map<string, Snapshot[]> {
  const projects = new Map<string, Snapshot[]>()
  for (const snapshot of snapshots)
    projects.set(getProjectKey(snapshot), [...(projects.get(getProjectKey(snapshot)) ?? []), snapshot])
  return projects
}

/** The one with the newest snapshot first. */
export function summarizeFolders(all: readonly Snapshot[]): CheckpointSummary['folders'] {
  const folders = [...byProject(all).values()].flatMap((snapshots) => {
    const newestAt = Math.max(...snapshots.map(({ at }) => at))
    return snapshots.slice(0, 1).map(({ root }) => ({ root, snapshots: snapshots.length, newestAt }))
  })
  return folders.sort((one, two) => two.newestAt - one.newestAt)
}

/** A quarter fewer; the newest of a project is removed last. */
function withoutOldest(snapshots: readonly Snapshot[]): Snapshot[] {
  const newest = new Set([...byProject(snapshots).values()].map(([first]) => first))
  const oldest = [...snapshots].sort((one, two) => Number(newest.has(one)) - Number(newest.has(two)) || one.at - two.at)
  const gone = new Set(oldest.slice(0, Math.ceil(snapshots.length / 4)))
  return snapshots.filter((snapshot) => !gone.has(snapshot))
}

async function drop(
  git: Git,
  all: readonly Snapshot[],
  kept: readonly Snapshot[],
  forget: (key: string) => Promise<void>,
): Promise<void> {
  const isKept = new Set(kept)
  const gone = all.filter((snapshot) => !isKept.has(snapshot))
  await remove(git, gone)
  const before = byProject(all)
  const after = byProject(kept)
  for (const [key, [newest]] of before) if (after.get(key)?.[0] !== newest) await forget(key)
}

/** What was last seen of projects that have no snapshots any more. */
async function dropStates(git: Git, kept: readonly Snapshot[], forget: (key: string) => Promise<void>): Promise<void> {
  const keys = new Set(kept.map(getProjectKey))
  const states = (await git.run(['for-each-ref', '--format=%(refname)', 'refs/now/'])).split('\n')
  const gone = states.map((ref) => ({ ref })).filter((state) => state.ref !== '' && !keys.has(getProjectKey(state)))
  for (const state of gone) await forget(getProjectKey(state))
  await remove(git, gone)
}

async function remove(git: Git, refs: readonly { readonly ref: string }[]): Promise<void> {
  if (refs.length === 0) return
  // Without the old value: another svc may have removed one already.
  await git.run(['update-ref', '--stdin'], { input: refs.map(({ ref }) => `delete ${ref}\n`).join('') })
}

async function collect(git: Git): Promise<void> {
  await git.run(['gc', '--quiet', `--prune=${GRACE}`], { limitMs: COLLECT_MS })
}
