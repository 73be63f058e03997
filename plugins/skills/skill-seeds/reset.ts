/** `skills reset`: what is recorded of a built-in skill is forgotten, and the skill looked at as for the first time. */
import { join } from 'node:path'
import { findSeed } from './compare.ts'
import { findLocalSkills, isFree } from './local.ts'
import { readManifest, writeManifest } from './manifest.ts'
import type { SeedSource } from './source.ts'
import { applySwaps } from './swap.ts'
import type { SyncDeps } from './sync.ts'
import { hashFolder } from './tree.ts'

/** `copied`: it is that of the program now; `current`: it was; `kept`: it is the user's; `claimed`: its name or place is taken. */
export type ResetOutcome = 'copied' | 'current' | 'kept' | 'claimed'

/** Under the lock. Throws `SKILL_SEEDS_UNKNOWN` and what `applySwaps` throws. */
export async function resetSeed(
  root: string,
  source: SeedSource,
  {
    name,
    isRestored,
    isClaimed,
  }: { readonly name: string; readonly isRestored: boolean } & Pick<SyncDeps, 'isClaimed'>,
): Promise<ResetOutcome> {
  const seed = findSeed(source, name)
  const found = findLocalSkills(root).get(name)
  const path = found ?? seed.path
  const local = hashFolder(join(root, path))
  const { digest, origins } = readManifest(root)
  if (found === undefined ? !isFree(root, path) : isClaimed({ name, folder: join(root, path) })) return 'claimed'
  if (local !== undefined && local !== seed.hash && !isRestored) {
    await writeManifest(root, { digest, origins: new Map([...origins].filter(([each]) => each !== name)) })
    return 'kept'
  }
  const isCurrent = local === seed.hash
  const swaps = isCurrent ? [] : [{ name, path, from: local ?? null, to: seed.hash }]
  const missed = await applySwaps(root, swaps, {
    findSource: () => join(source.folder, seed.path),
    flush: true,
    ...(digest !== undefined && { digest }),
    record: (known) => void (isCurrent && known.set(name, seed.hash)),
  })
  if (missed.length > 0) return 'kept'
  return isCurrent ? 'current' : 'copied'
}
