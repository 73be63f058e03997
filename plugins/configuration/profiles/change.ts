/** What changes the profiles, and what is said about it. */
import { type CliArguments, type CliContext, confirmCommand, SvcError } from 'svc/sdk'
import { hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { changeProfiles } from './changes.ts'
import { createProfile } from './create.ts'
import { readDescription } from './description.ts'
import { type Context, findFolder, findOwn, writeActive } from './profile-folders.ts'
import { deleteProfile, requireDeletable, restoreProfile, TRASH_DAYS } from './remove.ts'
import { renameProfile } from './rename.ts'

export async function create(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const { description, cloneFrom } = input.options
  const isWhole = hasFlag(input, 'cloneAll')
  const isClone = hasFlag(input, 'clone') || isWhole || cloneFrom !== undefined
  const isWithoutSkills = input.options['skills'] === false
  if (isClone && isWithoutSkills)
    throw new SvcError('CLI_USAGE', '--no-skills does not go with a copy: a copy has the skills of its original.')
  const from = isClone ? String(cloneFrom ?? findOwn(ctx).name) : undefined
  const { name, dir, skipped } = await createProfile(ctx, input.args[0] as string, {
    ...(typeof description === 'string' && { description }),
    isWithoutSkills,
    ...(from !== undefined && { from, isWhole }),
  })
  if (hasFlag(input, 'json')) {
    printJson(io, { ok: true, name, path: dir, skipped })
    return 0
  }
  io.out(`The profile ${name} is in ${dir}.\n`)
  if (skipped.length > 0) io.out(`Not copied, because links are not followed: ${skipped.map(safeLine).join(', ')}\n`)
  if (from === undefined) io.out(`It has no model yet. Choose one: svc -p ${name} model\n`)
  else io.out(`It has the keys of ${from}. Two gateways cannot share the bot of a platform: change one of them.\n`)
  io.out(`Talk in it: svc -p ${name} chat. Make it the one in use: svc profile use ${name}\n`)
  return 0
}

export async function use(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const name = await changeProfiles(ctx, async () => {
    const found = findFolder(ctx, input.args[0] as string)
    await writeActive(ctx, found.name)
    return found.name
  })
  if (hasFlag(input, 'json')) printJson(io, { ok: true, active: name })
  else io.out(`Commands without -p use the profile ${name} now. What runs already stays in its own.\n`)
  return 0
}

export async function rename(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const [typed = '', wanted = ''] = input.args
  const { name, dir } = await renameProfile(ctx, typed, wanted)
  if (hasFlag(input, 'json')) printJson(io, { ok: true, name, path: dir })
  else {
    io.out(`The profile is called ${name} now and is in ${dir}.\n`)
    io.out(`If the system starts its gateway, install that again: svc -p ${name} gateway install\n`)
  }
  return 0
}

export async function remove(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const profile = findFolder(ctx, input.args[0] as string)
  await requireDeletable(ctx, profile)
  const question = `Delete the profile ${profile.name} with its settings, keys, memories and conversations?`
  const show = () => {
    const { description } = readDescription(profile.dir)
    io.out(`${profile.dir}${description === '' ? '' : `: ${safeLine(description)}`}\n`)
  }
  if (!(await confirmCommand(io, question, input.options, show))) return 1
  const { name, trash } = await deleteProfile(ctx, profile.name)
  if (hasFlag(input, 'json')) printJson(io, { ok: true, name, trash })
  else {
    io.out(`The profile ${name} was deleted. Within ${TRASH_DAYS} days: svc profile restore ${name}\n`)
    io.out(`Until then it is in ${trash}, with its keys.\n`)
  }
  return 0
}

export async function restore(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const { name, dir } = await restoreProfile(ctx, input.args[0] as string)
  if (hasFlag(input, 'json')) printJson(io, { ok: true, name, path: dir })
  else io.out(`The profile ${name} is back in ${dir}.\n`)
  return 0
}
