/** `svc sessions delete` and `prune`. */
import {
  type CliArguments,
  type CliContext,
  confirmCommand,
  type PluginContext,
  type SessionSummary,
  Sessions,
} from 'svc/sdk'
import { formatCount, hasFlag, printJson, quotePath } from 'svc/sdk/kit/terminal'
import { createFilter } from './filter.ts'
import { findSessions } from './find.ts'
import { sessionLine } from './text.ts'

type Context = PluginContext<undefined>

const shown = 20
const defaultAge = '90d'

export async function remove(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  return removeAll(ctx, input, io, await findSessions(ctx, input.args))
}

/** Sessions in which a turn is at work are not meant, whatever their age. */
export async function prune(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const aged = { ...input, options: { ...input.options, olderThan: input.options['olderThan'] ?? defaultAge } }
  const { removed: old } = await ctx.use(Sessions).prune(createFilter(ctx, aged, io), { dryRun: true })
  if (!hasFlag(input, 'dryRun')) return removeAll(ctx, input, io, old)
  if (hasFlag(input, 'json')) printJson(io, { wouldRemove: old.map(({ id }) => id) })
  else {
    for (const session of old) io.out(`${sessionLine(session)}\n`)
    io.err(`${formatCount(old.length, 'conversation')} would be removed.\n`)
  }
  return 0
}

async function removeAll(
  ctx: Context,
  input: CliArguments,
  io: CliContext,
  sessions: readonly SessionSummary[],
): Promise<number> {
  const ids = sessions.map(({ id }) => id)
  const isJson = hasFlag(input, 'json')
  if (ids.length === 0) {
    if (isJson) printJson(io, { removed: [] })
    else io.err('No conversation fits; nothing was removed.\n')
    return 0
  }
  if (!(await isConfirmed(input, io, sessions))) return 1
  const { removed, backup } = await ctx.use(Sessions).remove(ids)
  const undo = backup === undefined ? undefined : `svc sessions import ${quotePath(backup)}`
  if (isJson) printJson(io, { removed, backup, undo })
  else if (undo) io.out(`${formatCount(removed.length, 'conversation')} removed. To undo it: ${undo}\n`)
  if (removed.length < ids.length)
    io.err(`${formatCount(ids.length - removed.length, 'conversation')} stayed: used or removed by others meanwhile.\n`)
  return 0
}

/** Throws `CLI_CONFIRM` if no person can be asked. */
function isConfirmed(input: CliArguments, io: CliContext, sessions: readonly SessionSummary[]): Promise<boolean> {
  return confirmCommand(io, `Remove ${formatCount(sessions.length, 'conversation')}?`, input.options, () => {
    for (const session of sessions.slice(0, shown)) io.out(`${sessionLine(session)}\n`)
    if (sessions.length > shown) io.out(`and ${sessions.length - shown} more\n`)
  })
}
