/** The service `Snapshots`. */
import type { PluginContext } from 'svc/sdk'
import { SNAPSHOT_LIMIT, type Snapshots } from 'svc/sdk/operations'
import { requireUnused } from '../running.ts'
import { checkSnapshot, restoreSnapshot } from './restore.ts'
import { createSnapshot, findSnapshot, listSnapshots, prune, type SnapshotDeps } from './snapshots.ts'

export function createSnapshots(ctx: PluginContext<undefined>, deps: SnapshotDeps): Snapshots {
  return {
    list: (signal) => listSnapshots(deps, signal),
    find: (which, signal) => findSnapshot(deps, which, signal),
    async create(label, signal) {
      const { id, file, files, bytes, warnings } = await createSnapshot(deps, label, signal)
      return { id, file, files, bytes, warnings, removed: prune(deps.home, SNAPSHOT_LIMIT) }
    },
    async check(snapshot, signal) {
      await checkSnapshot(deps, snapshot, signal)
      await requireUnused(ctx)
    },
    async restore(snapshot, signal) {
      await requireUnused(ctx)
      return restoreSnapshot(deps, snapshot, signal)
    },
    prune: async (keep) => prune(deps.home, keep),
  }
}
