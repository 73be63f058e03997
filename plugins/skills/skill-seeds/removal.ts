/** `opt-out --remove`: which copies go, and which stay because they are the user's. */
import { join } from 'node:path'
import { decideRemoval } from './decide.ts'
import { findLocalSkills } from './local.ts'
import { readManifest } from './manifest.ts'
import { applySwaps, type Swap } from './swap.ts'
import type { SyncDeps } from './sync.ts'
import { hashFolder } from './tree.ts'

/** What a removal would do. */
export interface RemovalPlan {
  readonly remove: readonly Swap[]
  /** Copies that the user changed. */
  readonly modified: readonly string[]
}

/** Looks only. Throws the error of the system. */
export function planRemoval(root: string, { isClaimed }: Pick<SyncDeps, 'isClaimed'>): RemovalPlan {
  const local = findLocalSkills(root)
  const remove: Swap[] = []
  const modified: string[] = []
  for (const [name, origin] of readManifest(root).origins) {
    const path = local.get(name)
    if (path === undefined || isClaimed({ name, folder: join(root, path) })) continue
    const hash = hashFolder(join(root, path))
    if (decideRemoval({ local: hash, origin, upstream: undefined })) remove.push({ name, path, from: origin, to: null })
    else modified.push(name)
  }
  return { remove, modified }
}

/** Deletes what was planned; names of those that went. What was changed since stays. Throws what `applySwaps` throws. */
export async function removeSeeds(root: string, { remove }: RemovalPlan): Promise<readonly string[]> {
  const missed = await applySwaps(root, remove, { findSource: () => '', flush: true, record: () => undefined })
  return remove.filter((swap) => !missed.includes(swap)).map(({ name }) => name)
}
