/** `svc config diff ID`, `undo` and `restore`: the journal of changes, and the way back. */
import { type CliArguments, type CliContext, type PluginContext, SvcError } from 'svc/sdk'
import { type ConfigChange, ConfigFile } from 'svc/sdk/host'
import { toJson } from './output.ts'

type Context = PluginContext<undefined>

/** Prints one change of the journal. */
export async function diffOfChange(ctx: Context, { args, options }: CliArguments, io: CliContext): Promise<number> {
  const id = parseChangeId(args[0] as string)
  const change = (await ctx.use(ConfigFile).history()).find((one) => one.id === id)
  if (!change) throw unknown(`There is no change ${id}.`)
  return show(change, options, io)
}

/** Takes a change back, or lists what there is to take back. */
export async function undo(ctx: Context, { args, options }: CliArguments, io: CliContext): Promise<number> {
  const file = ctx.use(ConfigFile)
  if (options['list'] === true) {
    const changes = await file.history()
    io.out(options['json'] === true ? toJson(changes) : changes.map(toLine).join('') || 'No changes yet.\n')
    return 0
  }
  return show(await file.undo(args[0] === undefined ? undefined : parseChangeId(args[0])), options, io)
}

/** Puts the last good config.yaml back. */
export async function restore(ctx: Context, { options }: CliArguments, io: CliContext): Promise<number> {
  return show(await ctx.use(ConfigFile).restore(), options, io)
}

function show(change: ConfigChange | undefined, options: CliArguments['options'], io: CliContext): number {
  if (options['json'] === true) io.out(toJson(change ?? null))
  else if (change) io.out(`${toLine(change)}${change.diff}`)
  return 0
}

function toLine({ id, at, author, reason, undoneBy }: ConfigChange): string {
  const when = new Date(at).toISOString().slice(0, 16).replace('T', ' ')
  const state = undoneBy === undefined ? '' : ', taken back'
  return `${String(id).padStart(4)}  ${when} UTC  ${reason} (${author})${state}\n`
}

function parseChangeId(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw unknown(`"${text}" is not the number of a change.`)
}

function unknown(what: string): SvcError {
  return new SvcError('CONFIG_CHANGE_UNKNOWN', `${what} To see the changes: svc config undo --list`, { status: 404 })
}
