/** One change of the profiles at a time, each whole: what a killed one left is completed or taken away by the next. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Clock, errorMessage, Random, SvcError, tryParseJson } from 'svc/sdk'
import { flushFolder, isTemporaryName, writeAtomically } from 'svc/sdk/kit/files'
import { type LockHolder, withFileLock } from 'svc/sdk/kit/process'
import { findProfilesFolder, type HomeContext, readActive, writeActive } from './profile-folders.ts'

/** A profile that is being made; its name cannot be that of a profile. */
const DRAFT = /^\.new-/

/** What is written before the folder gets its new name, so that a killed rename is completed. */
interface Renaming {
  readonly from: string
  readonly to: string
}

/**
 * Runs `work` while no other process changes profiles, after what a killed one left was taken away. Throws `PROFILE_BUSY` and
 * `PROFILE_WRITE`.
 */
export async function changeProfiles<T>(ctx: HomeContext, work: () => Promise<T>): Promise<T> {
  const folder = findProfilesFolder(ctx)
  const onTimeout = (holder: LockHolder | undefined) =>
    new SvcError('PROFILE_BUSY', `Process ${holder?.pid ?? 'unknown'} changes the profiles. Try again when it is done.`)
  const deps = { clock: ctx.use(Clock), random: ctx.use(Random), onTimeout }
  try {
    return await withFileLock({ file: join(folder, '.lock'), ...deps }, async () => {
      for (const name of readdirSync(folder).filter((each) => DRAFT.test(each) || isTemporaryName(each)))
        rmSync(join(folder, name), { recursive: true, force: true })
      await finishRename(ctx)
      return await work()
    })
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    throw new SvcError('PROFILE_WRITE', `The profiles in ${folder} were not changed: ${errorMessage(cause)}`, { cause })
  }
}

/** Where a new profile is made before it gets its name. Its parent exists while profiles are changed. */
export function findDraft(ctx: HomeContext): string {
  return join(findProfilesFolder(ctx), `.new-${ctx.use(Random).hex(8)}`)
}

export function flushProfiles(ctx: HomeContext): Promise<void> {
  return flushFolder(findProfilesFolder(ctx))
}

export async function noteRename(ctx: HomeContext, renaming: Renaming): Promise<void> {
  await writeAtomically(getJournal(ctx), JSON.stringify(renaming))
}

/** Completes what a killed rename left, or forgets it where the folder has its old name. */
export async function finishRename(ctx: HomeContext): Promise<void> {
  const journal = getJournal(ctx)
  if (!existsSync(journal)) return
  const folder = findProfilesFolder(ctx)
  const { from, to } = (tryParseJson(readFileSync(journal, 'utf8'))?.value ?? {}) as Partial<Renaming>
  if (from !== undefined && to !== undefined && readActive(ctx) === from) {
    if (existsSync(join(folder, to)) && !existsSync(join(folder, from))) await writeActive(ctx, to)
  }
  rmSync(journal, { force: true })
}

function getJournal(ctx: HomeContext): string {
  return join(findProfilesFolder(ctx), '.rename.json')
}
