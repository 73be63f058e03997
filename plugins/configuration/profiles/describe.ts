/** `svc profile describe`: shows, sets, or has a model write what profiles are for. */
import { type CliArguments, type CliContext, Clock, errorCode, errorMessage, logFault, SvcError } from 'svc/sdk'
import { hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { changeProfiles } from './changes.ts'
import { writeText } from './describer.ts'
import { readDescription, writeDescription } from './description.ts'
import { type Context, findFolder, findOwn, listFolders, type ProfileFolder } from './profile-folders.ts'

/** As `--json` prints it, for each profile. */
interface Described {
  readonly ok: boolean
  readonly profile: string
  /** Why it was left as it was; null when it was written. */
  readonly reason: string | null
  readonly description: string
  readonly description_auto: boolean
}

export async function describe(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const [typed] = input.args
  const { text } = input.options
  const [isAll, isAuto] = [hasFlag(input, 'all'), hasFlag(input, 'auto')]
  checkWords({ isAll, isAuto, isText: typeof text === 'string', isNamed: typed !== undefined })
  if (isAll) return await describeAll(ctx, input, io)
  const profile = typed === undefined ? findOwn(ctx) : findFolder(ctx, typed)
  if (typeof text !== 'string' && !isAuto) return show(profile, input, io)
  const result = isAuto
    ? await describeByModel(ctx, profile, hasFlag(input, 'overwrite'), io.signal)
    : await describeByHand(ctx, profile.name, String(text))
  if (hasFlag(input, 'json')) printJson(io, result)
  else print(io, result)
  return result.ok ? 0 : 1
}

function checkWords(typed: Readonly<Record<'isAll' | 'isAuto' | 'isText' | 'isNamed', boolean>>): void {
  const refuse = (message: string) => new SvcError('CLI_USAGE', `${message} Try: svc profile describe --help`)
  if (typed.isText && typed.isAuto) throw refuse('--text and --auto exclude each other.')
  if (typed.isAll && !typed.isAuto) throw refuse('--all needs --auto: a text of yours is for one profile.')
  if (typed.isAll && typed.isNamed) throw refuse('--all describes all profiles; leave the name out.')
}

/** One after the other. The exit code is 1 when one failed; a text of the user that stays is no failure. */
async function describeAll(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const results: Described[] = []
  for (const profile of listFolders(ctx)) {
    if (!hasFlag(input, 'json')) io.err(`${profile.name} ...\n`)
    const result = await describeByModel(ctx, profile, hasFlag(input, 'overwrite'), io.signal)
    results.push(result)
    if (!hasFlag(input, 'json')) print(io, result)
  }
  if (hasFlag(input, 'json')) printJson(io, { results })
  return results.every(({ ok, reason }) => ok || reason === KEPT) ? 0 : 1
}

const KEPT = 'A person wrote the description. It is replaced with --overwrite.'

/** Stores the text of a person. */
export async function describeByHand(ctx: Context, name: string, text: string): Promise<Described> {
  return await store(ctx, findFolder(ctx, name), { description: toOneLine(text), description_auto: false }, true)
}

/** Does not throw but when it is interrupted. */
export async function describeByModel(
  ctx: Context,
  profile: ProfileFolder,
  isOverwriting: boolean,
  signal: AbortSignal,
): Promise<Described> {
  if (!isOverwriting && isOfUser(profile)) return toResult(profile, KEPT)
  try {
    const description = await writeText(ctx, profile, signal)
    return await store(ctx, profile, { description, description_auto: true }, isOverwriting)
  } catch (error) {
    if (signal.aborted) throw error
    logFault(ctx.log, `the profile ${profile.name} could not be described`, error)
    return toResult(profile, `${errorMessage(error)} (${errorCode(error)})`)
  }
}

/** A person may have written one while the model was asked. */
async function store(
  ctx: Context,
  profile: ProfileFolder,
  value: Pick<Described, 'description' | 'description_auto'>,
  isOverwriting: boolean,
): Promise<Described> {
  return await changeProfiles(ctx, async () => {
    const { dir } = findFolder(ctx, profile.name)
    if (!isOverwriting && isOfUser({ ...profile, dir })) return toResult(profile, KEPT)
    const kept = await writeDescription(dir, value, ctx.use(Clock).now())
    if (kept !== undefined)
      ctx.log.warn('a profile.yaml could not be read and was kept', { profile: profile.name, kept })
    return toResult(profile, null)
  })
}

function isOfUser({ dir }: ProfileFolder): boolean {
  const { description, description_auto } = readDescription(dir)
  return description !== '' && !description_auto
}

function toResult({ name, dir }: ProfileFolder, reason: string | null): Described {
  return { ok: reason === null, profile: name, reason, ...readDescription(dir) }
}

function show(profile: ProfileFolder, input: CliArguments, io: CliContext): number {
  const { description, description_auto } = readDescription(profile.dir)
  if (hasFlag(input, 'json')) printJson(io, { profile: profile.name, description, description_auto })
  else if (description !== '') io.out(`${safeLine(description)}${description_auto ? ' (written by a model)' : ''}\n`)
  else {
    io.out(`The profile ${profile.name} has no description.\n`)
    io.out(`Write one with --text, or have it written: svc profile describe ${profile.name} --auto\n`)
  }
  return 0
}

function print(io: CliContext, { profile, reason, description }: Described): void {
  if (reason === null) io.out(`${profile}: ${safeLine(description)}\n`)
  else io.err(`svc: ${profile} was not described. ${safeLine(reason)}\n`)
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
