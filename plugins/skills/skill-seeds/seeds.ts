/** What the commands and the start do, under the lock of the home. */
import { existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { Clock, errorMessage, type PluginContext, Random, SvcError } from 'svc/sdk'
import { writeAtomically } from 'svc/sdk/kit/files'
import { type LockHolder, withFileLock } from 'svc/sdk/kit/process'
import { SkillOrigins, Skills } from 'svc/sdk/skills'
import { compareSeed, type FileDifference, listModified, type ModifiedSeed } from './compare.ts'
import { findMarker, findSkillsFolder, isOptedOut } from './home-paths.ts'
import { planRemoval, type RemovalPlan, removeSeeds } from './removal.ts'
import { type ResetOutcome, resetSeed } from './reset.ts'
import { findSourceFolder, readSource } from './source.ts'
import { recoverSwaps } from './swap.ts'
import { type SyncDeps, type SyncResult, skippedSync, syncSeeds } from './sync.ts'

type Context = Pick<PluginContext<undefined>, 'use' | 'find' | 'all' | 'name'>

/** Copies what is new. `flush`: waits until the copies are on disk, which takes a second on a slow one. */
export async function sync(ctx: Context, { flush }: { flush: boolean }): Promise<SyncResult> {
  const skills = readSource(findSourceFolder())
  if (isOptedOut(ctx)) return skippedSync(skills)
  const deps = { isClaimed: toClaims(ctx), external: await findExternal(ctx), flush }
  const result = await locked(ctx, (root) => (isOptedOut(ctx) ? skippedSync(skills) : syncSeeds(root, skills, deps)))
  if (result.copied.length + result.updated.length + result.cleaned.length > 0) await ctx.find(Skills)?.reload()
  return result
}

/** What `opt-out --remove` would delete. */
export function previewRemoval(ctx: Context): Promise<RemovalPlan> {
  return locked(ctx, (root) => planRemoval(root, { isClaimed: toClaims(ctx) }))
}

/** Writes the marker; with `plan`, deletes what was planned and is still unchanged. Names of the deleted skills. */
export async function optOut(ctx: Context, plan?: RemovalPlan): Promise<readonly string[]> {
  const removed = await locked(ctx, async (root) => {
    // First, so that no other process copies again what is removed next.
    await writeAtomically(findMarker(ctx), '')
    return plan ? removeSeeds(root, plan) : []
  })
  if (removed.length > 0) await ctx.find(Skills)?.reload()
  return removed
}

/** Removes the marker. False when there was none. */
export function optIn(ctx: Context): Promise<boolean> {
  return locked(ctx, () => {
    const wasOut = isOptedOut(ctx)
    rmSync(findMarker(ctx), { force: true })
    return wasOut
  })
}

/** Copies that the user changed. */
export function listModifiedSeeds(ctx: Context): readonly ModifiedSeed[] {
  return listModified(findSkillsFolder(ctx), readSource(findSourceFolder()))
}

/** Throws `SKILL_SEEDS_UNKNOWN`. */
export function compareWithSource(ctx: Context, name: string): Promise<readonly FileDifference[]> {
  return compareSeed(findSkillsFolder(ctx), readSource(findSourceFolder()), name)
}

/** Contract: `resetSeed`. */
export async function reset(
  ctx: Context,
  name: string,
  { isRestored }: { readonly isRestored: boolean },
): Promise<ResetOutcome> {
  const source = readSource(findSourceFolder())
  const outcome = await locked(ctx, (root) => resetSeed(root, source, { name, isRestored, isClaimed: toClaims(ctx) }))
  if (outcome === 'copied') await ctx.find(Skills)?.reload()
  return outcome
}

/** Runs `work` with the real path of the folder of skills, which exists then. */
async function locked<T>(ctx: Context, work: (root: string) => T | Promise<T>): Promise<T> {
  const folder = findSkillsFolder(ctx)
  const onTimeout = (holder: LockHolder | undefined) => {
    const who = holder ? `process ${holder.pid}` : 'another process'
    return new SvcError('SKILL_SEEDS_BUSY', `The skills of this home are being changed by ${who}. Try again later.`)
  }
  const deps = { clock: ctx.use(Clock), random: ctx.use(Random), onTimeout }
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const root = realpathSync(folder)
    return await withFileLock({ file: join(root, '.seeding.lock'), ...deps }, async () => {
      await recoverSwaps(root)
      return await work(root)
    })
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    const message = `The skills in ${folder} could not be changed: ${errorMessage(cause)}`
    throw new SvcError('SKILL_SEEDS_WRITE', message, { cause })
  }
}

/** What other records know of a folder: it is theirs then. */
function toClaims(ctx: Context): SyncDeps['isClaimed'] {
  const records = ctx.all(SkillOrigins)
  return (skill) =>
    records
      .all()
      .filter(({ name }) => records.owner(name) !== ctx.name)
      .some((record) => records.attempt(record, () => record.find(skill)) !== undefined)
}

/** Skills in folders that the user named outside the home; a copy in the home would hide them. */
async function findExternal(ctx: Context): Promise<ReadonlySet<string>> {
  const home = findSkillsFolder(ctx)
  const all = (await ctx.find(Skills)?.list()) ?? []
  const isBelow = (folder: string) => {
    const path = relative(
      existsSync(home) ? realpathSync(home) : home,
      existsSync(folder) ? realpathSync(folder) : folder,
    )
    return path !== '..' && !path.startsWith(`..${sep}`)
  }
  return new Set(all.filter(({ origin, folder }) => origin === 'user' && !isBelow(folder)).map(({ name }) => name))
}
