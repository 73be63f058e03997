/** Brings the state of a snapshot back: on a copy of the home, which then takes its place. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { SNAPSHOT_LIMIT, type Snapshot } from 'svc/sdk/operations'
import { type ReadOptions, readArchive } from '../archive-reader.ts'
import { listContents } from '../contents.ts'
import { createBackup } from '../create.ts'
import { requireKind } from '../kind.ts'
import { importInPlace } from '../overlay.ts'
import { createSnapshot, isState, prune, type SnapshotDeps } from './snapshots.ts'

/** Reads all of it. Throws `BACKUP_DAMAGED`, `BACKUP_TARGET`, `BACKUP_TOO_NEW`. */
export async function checkSnapshot(deps: SnapshotDeps, { file }: Snapshot, signal: AbortSignal): Promise<void> {
  await readArchive(toSource(deps, file, signal), { head: (head) => requireKind(head, 'svc-snapshot', file) })
}

/**
 * Nothing else may run in the home. The present state is in another snapshot then, whose id is `before`, and the home as it was in `previous`.
 * Throws as `createBackup` and `checkSnapshot` do; the home is then as it was.
 */
export async function restoreSnapshot(deps: SnapshotDeps, snapshot: Snapshot, signal: AbortSignal) {
  await checkSnapshot(deps, snapshot, signal)
  const source = toSource(deps, snapshot.file, signal)
  const before = await createSnapshot(deps, `before restoring ${snapshot.id}`, signal)
  // The home before stays as a folder, so that this copy of it is not needed afterwards.
  const whole = await createBackup(deps, { signal })
  try {
    const { files, previous } = await importInPlace({
      ...{ backup: toSource(deps, whole.file, signal), source, kind: 'svc-snapshot' as const },
      includes: () => true,
      complete: (draft, written) => removeLater(deps, draft, written),
      ...{ dir: deps.home.dir, now: deps.clock.now() },
    })
    // Not before: the one that is restored may be the oldest.
    prune(deps.home, SNAPSHOT_LIMIT)
    return { files, previous, before: before.id }
  } finally {
    rmSync(whole.file, { force: true })
  }
}

/** State that was not there yet does not go with the state that is restored. */
function removeLater(deps: SnapshotDeps, draft: string, written: ReadonlySet<string>): void {
  for (const listed of listContents(draft, deps.rules).files)
    if (isState(listed, deps.personal) && !written.has(listed.path)) rmSync(join(draft, listed.path))
}

function toSource({ program }: SnapshotDeps, file: string, signal: AbortSignal): ReadOptions {
  return { file, passphrase: async () => '', program, signal }
}
