/** `svc profile create`: made beside the others, and given its name when it is complete. */
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Clock, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { BuiltInSkills } from 'svc/sdk/skills'
import { changeProfiles, findDraft, flushProfiles } from './changes.ts'
import { writeDescription } from './description.ts'
import { type FirstSettings, writeFirstSettings } from './first-settings.ts'
import { parseNewName } from './names.ts'
import { copyFiles, listFiles, listPortable, listWhole } from './portable.ts'
import { type Context, findFolder, findProfilesFolder, type ProfileFolder, requireFree } from './profile-folders.ts'

export interface CreateOptions {
  readonly description?: string
  /** No built-in skills are copied into it. */
  readonly isWithoutSkills?: boolean
  /** The profile whose settings, keys, skills and memories are copied. */
  readonly from?: string
  /** With `from`: also what no plugin names as portable, such as plugins, sign-ins and files of one's own. */
  readonly isWhole?: boolean
  readonly first?: FirstSettings
}

export interface Created extends ProfileFolder {
  /** What was not copied: links, and what is no file. */
  readonly skipped: readonly string[]
}

/** Throws `PROFILE_NAME`, `PROFILE_TAKEN`, `PROFILE_NOT_FOUND`, `PROFILE_SKILLS`, `PROFILE_MODEL`, `PROFILE_BUSY`, `PROFILE_WRITE`. */
export async function createProfile(ctx: Context, typed: string, options: CreateOptions): Promise<Created> {
  const name = parseNewName(typed)
  const source = options.from === undefined ? undefined : findFolder(ctx, options.from)
  const skills = options.isWithoutSkills ? await ctx.use(Plugins).bring(BuiltInSkills) : undefined
  if (options.isWithoutSkills && !skills)
    throw new SvcError('PROFILE_SKILLS', 'The plugin for built-in skills does not run. Leave --no-skills out.')
  return await addProfile(ctx, name, async (draft) => {
    const { shared, personal } = listPortable(ctx)
    const portable = [...shared, ...personal, '.env']
    const found = source && listFiles(source.dir, options.isWhole ? listWhole(source.dir) : portable)
    if (source && found) copyFiles(source.dir, draft, found.files)
    if (existsSync(join(draft, '.env'))) chmodSync(join(draft, '.env'), 0o600)
    const description = options.description?.trim() ?? ''
    await writeDescription(draft, { description, description_auto: false }, ctx.use(Clock).now())
    await skills?.optOut(draft)
    if (options.first) await writeFirstSettings(ctx, draft, options.first)
    return found?.skipped ?? []
  })
}

/** Fills the folder of a new profile by `fill`; nothing is left of it when that throws. */
export async function addProfile(
  ctx: Context,
  name: string,
  fill: (draft: string) => Promise<readonly string[]>,
): Promise<Created> {
  return await changeProfiles(ctx, async () => {
    requireFree(ctx, name)
    const draft = findDraft(ctx)
    const dir = join(findProfilesFolder(ctx), name)
    try {
      mkdirSync(draft, { mode: 0o700 })
      const skipped = await fill(draft)
      renameSync(draft, dir)
      await flushProfiles(ctx)
      return { name, dir, skipped }
    } catch (error) {
      rmSync(draft, { recursive: true, force: true })
      throw error
    }
  })
}
