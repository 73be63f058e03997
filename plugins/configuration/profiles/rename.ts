/** `svc profile rename`: the folder and, where it is the active profile, the file that says so, as one change. */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { changeProfiles, finishRename, flushProfiles, noteRename } from './changes.ts'
import { parseNewName } from './names.ts'
import {
  type Context,
  findFolder,
  findProfilesFolder,
  type ProfileFolder,
  readActive,
  requireFree,
} from './profile-folders.ts'
import { requireUnused } from './remove.ts'

/** Throws `PROFILE_NAME`, `PROFILE_NOT_FOUND`, `PROFILE_TAKEN`, `PROFILE_IN_USE`, `PROFILE_BUSY`, `PROFILE_WRITE`. */
export async function renameProfile(ctx: Context, typed: string, wanted: string): Promise<ProfileFolder> {
  const name = parseNewName(wanted)
  return await changeProfiles(ctx, async () => {
    const profile = findFolder(ctx, typed)
    await requireUnused(ctx, profile, 'renamed')
    requireFree(ctx, name)
    const dir = join(findProfilesFolder(ctx), name)
    if (readActive(ctx) === profile.name) await noteRename(ctx, { from: profile.name, to: name })
    renameSync(profile.dir, dir)
    await flushProfiles(ctx)
    await finishRename(ctx)
    const { renameAliases } = await import('./alias.ts')
    await renameAliases(ctx, profile.name, name)
    return { name, dir }
  })
}
