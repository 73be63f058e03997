/** One sync: looks at every built-in skill, decides, and makes the changes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decideSync, type SeedAction } from './decide.ts'
import { findLocalSkills, isFree, type LocalSkills } from './local.ts'
import { readManifest } from './manifest.ts'
import type { SeedSource } from './source.ts'
import { applySwaps, type Swap } from './swap.ts'
import { hashFolder } from './tree.ts'

/** What a sync did, as `--json` prints it. */
export interface SyncResult {
  readonly copied: readonly string[]
  readonly updated: readonly string[]
  /** Skills that needed nothing, and those whose name another skill of the user has. */
  readonly skipped: number
  readonly user_modified: readonly string[]
  /** Skills that the program no longer has: they are the user's now. */
  readonly cleaned: readonly string[]
  /** Retired by the curator. */
  readonly suppressed: readonly string[]
  /** A folder outside the home has a skill of that name. */
  readonly shadowed_by_external: readonly string[]
  readonly total_bundled: number
  /** The user wants no built-in skills: nothing was looked at. */
  readonly skipped_opt_out: boolean
}

/** What a sync asks others. */
export interface SyncDeps {
  /** Whether another plugin brought this folder, such as one of a hub. */
  isClaimed(skill: { readonly name: string; readonly folder: string }): boolean
  /** Names of skills in folders of the user outside the home. */
  readonly external: ReadonlySet<string>
  /** Waits until the copies are on disk. */
  readonly flush: boolean
}

const NOTHING: SyncResult = {
  copied: [],
  updated: [],
  skipped: 0,
  user_modified: [],
  cleaned: [],
  suppressed: [],
  shadowed_by_external: [],
  total_bundled: 0,
  skipped_opt_out: false,
}

/** Result for a home without built-in skills. */
export function skippedSync(source: SeedSource): SyncResult {
  return { ...NOTHING, total_bundled: source.skills.length, skipped_opt_out: true }
}

/** Under the lock. `root` exists and has no link in its path. Throws what `applySwaps` throws. */
export async function syncSeeds(root: string, source: SeedSource, deps: SyncDeps): Promise<SyncResult> {
  const { origins } = readManifest(root)
  const local = findLocalSkills(root)
  const suppressed = readSuppressed(root)
  const swaps: Swap[] = []
  const recorded = new Map<string, string>()
  const done: Record<SeedAction | 'suppressed' | 'shadowed', string[]> = {
    ...{ copy: [], record: [], current: [], keep: [], update: [], modified: [], deleted: [], drop: [], none: [] },
    ...{ suppressed: [], shadowed: [] },
  }
  for (const skill of source.skills) {
    const { name, hash } = skill
    const path = local.get(name) ?? skill.path
    const state = { local: hashFolder(join(root, path)), origin: origins.get(name), upstream: hash }
    const action = toAction(root, path, name, decideSync(state), { local, suppressed, deps })
    done[action].push(name)
    if (action === 'record') recorded.set(name, hash)
    if (action === 'copy' || action === 'update') swaps.push({ name, path, from: state.local ?? null, to: hash })
  }
  const present = new Set(source.skills.map(({ name }) => name))
  done.drop.push(...[...origins.keys()].filter((name) => !present.has(name)))
  const missed = await applySwaps(root, swaps, {
    findSource: ({ name }) => join(source.folder, source.skills.find((skill) => skill.name === name)?.path ?? name),
    digest: source.digest,
    flush: deps.flush,
    record(known) {
      for (const [name, hash] of recorded) known.set(name, hash)
      for (const name of done.drop) known.delete(name)
    },
  })
  const made = (names: readonly string[]) => names.filter((name) => !missed.some((swap) => swap.name === name))
  return {
    ...NOTHING,
    copied: made(done.copy),
    updated: made(done.update),
    skipped: done.record.length + done.current.length + done.keep.length + done.deleted.length,
    user_modified: [...done.modified, ...missed.map(({ name }) => name)],
    cleaned: done.drop,
    suppressed: done.suppressed,
    shadowed_by_external: done.shadowed,
    total_bundled: source.skills.length,
  }
}

/** The action of the table, unless another one has a say. */
function toAction(
  root: string,
  path: string,
  name: string,
  action: SeedAction,
  { local, suppressed, deps }: { local: LocalSkills; suppressed: ReadonlySet<string>; deps: SyncDeps },
): SeedAction | 'suppressed' | 'shadowed' {
  if (local.has(name)) return deps.isClaimed({ name, folder: join(root, path) }) ? 'keep' : action
  if (action !== 'copy') return action
  if (suppressed.has(name)) return 'suppressed'
  if (deps.external.has(name)) return 'shadowed'
  return isFree(root, path) ? 'copy' : 'keep'
}

/** Names that the curator retired, a line each. */
function readSuppressed(root: string): ReadonlySet<string> {
  try {
    const lines = readFileSync(join(root, '.curator_suppressed'), 'utf8').split(/\r?\n/)
    return new Set(lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Set()
    throw error
  }
}
