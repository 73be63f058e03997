/** `svc profile delete` moves a profile to the trash; `svc profile restore` brings it back. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Clock, Home, Random, SvcError } from 'svc/sdk'
import { flushFolder } from 'svc/sdk/kit/files'
import { changeProfiles, flushProfiles } from './changes.ts'
import { parseNewName } from './names.ts'
import {
  type Context,
  DEFAULT,
  findFolder,
  findOwn,
  findProfilesFolder,
  type HomeContext,
  type ProfileFolder,
  readActive,
  requireFree,
} from './profile-folders.ts'
import { findRunning } from './roster.ts'

/** How long a deleted profile can be restored. */
export const TRASH_DAYS = 30
const DAY_MS = 86_400_000

/** Throws `PROFILE_IN_USE` with what to do first. `verb` is what was wanted: `deleted`. */
export async function requireUnused(ctx: Context, profile: ProfileFolder, verb: string): Promise<void> {
  const { name } = profile
  const refuse = (why: string) => new SvcError('PROFILE_IN_USE', `${name} cannot be ${verb}: ${why}`, { status: 409 })
  if (name === DEFAULT) throw refuse('it is the home itself.')
  if (name === findOwn(ctx).name) throw refuse('this command runs in it. Run it in another profile, with -p default.')
  const running = await findRunning(ctx, profile)
  const list = running.map(({ pid, command }) => `${command} (process ${pid})`).join(', ')
  if (running.length > 0) throw refuse(`svc runs in it: ${list}. End that first.`)
}

/** Where it is now. Throws `PROFILE_NOT_FOUND`, `PROFILE_IN_USE`, `PROFILE_BUSY`, `PROFILE_WRITE`. */
export async function deleteProfile(ctx: Context, typed: string): Promise<ProfileFolder & { readonly trash: string }> {
  return await changeProfiles(ctx, async () => {
    const profile = findFolder(ctx, typed)
    await requireDeletable(ctx, profile)
    tidyTrash(ctx)
    const time = new Date(ctx.use(Clock).now()).toISOString().replace(/[:.]/g, '-')
    const slot = join(getTrash(ctx), `${time}-${ctx.use(Random).hex(3)}`)
    mkdirSync(slot, { recursive: true, mode: 0o700 })
    const trash = join(slot, profile.name)
    renameSync(profile.dir, trash)
    await flushFolder(slot)
    await flushProfiles(ctx)
    const { removeAliases } = await import('./alias.ts')
    removeAliases(ctx, profile.name)
    return { ...profile, trash }
  })
}

/** Throws `PROFILE_IN_USE`. */
export async function requireDeletable(ctx: Context, profile: ProfileFolder): Promise<void> {
  await requireUnused(ctx, profile, 'deleted')
  if (profile.name !== readActive(ctx)) return
  const message = `${profile.name} cannot be deleted: it is the active profile. Choose another one first: svc profile use default`
  throw new SvcError('PROFILE_IN_USE', message, { status: 409 })
}

/** Brings back the one that was deleted last. Throws `PROFILE_NOT_FOUND`, `PROFILE_TAKEN`, `PROFILE_BUSY`, `PROFILE_WRITE`. */
export async function restoreProfile(ctx: Context, typed: string): Promise<ProfileFolder> {
  const name = parseNewName(typed)
  return await changeProfiles(ctx, async () => {
    const slot = listSlots(ctx).findLast((each) => existsSync(join(each, name)))
    if (slot === undefined) {
      const message = `No profile "${name}" is in ${getTrash(ctx)}. A deleted one is kept for ${TRASH_DAYS} days.`
      throw new SvcError('PROFILE_NOT_FOUND', message, { status: 404 })
    }
    requireFree(ctx, name)
    const dir = join(findProfilesFolder(ctx), name)
    renameSync(join(slot, name), dir)
    await flushProfiles(ctx)
    rmdirSync(slot)
    return { name, dir }
  })
}

/** Oldest first. */
function listSlots(ctx: HomeContext): readonly string[] {
  const trash = getTrash(ctx)
  const names = existsSync(trash) ? readdirSync(trash).sort() : []
  return names.map((name) => join(trash, name))
}

/** Takes away what is older than its time, and what a killed command left empty. */
function tidyTrash(ctx: Context): void {
  const oldest = new Date(ctx.use(Clock).now() - TRASH_DAYS * DAY_MS).toISOString().replace(/[:.]/g, '-')
  for (const slot of listSlots(ctx)) {
    const isOld = slot < join(getTrash(ctx), oldest)
    if (isOld || readdirSync(slot).length === 0) rmSync(slot, { recursive: true, force: true })
  }
}

function getTrash(ctx: HomeContext): string {
  return join(ctx.use(Home).root, 'trash', 'profiles')
}
