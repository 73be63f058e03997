/** `svc sessions list`: the conversations used last. */
import { type CliArguments, type CliContext, type PluginContext, Sessions } from 'svc/sdk'
import { paint, printJson } from 'svc/sdk/kit/terminal'
import { createFilter } from './filter.ts'
import { sessionLine } from './text.ts'

const defaultLimit = 20

export async function list(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<void> {
  const filter = createFilter(ctx, input, io)
  const sessions = ctx.use(Sessions).list({ limit: defaultLimit, ...filter })
  if (input.options['json'] === true) return printJson(io, sessions)
  if (sessions.length === 0) {
    io.err(Object.keys(filter).length ? 'No conversation fits.\n' : 'No conversation yet. To begin one: svc chat\n')
    return
  }
  for (const session of sessions) io.out(`${sessionLine(session)}\n`)
  if (filter.limit === undefined && sessions.length === defaultLimit)
    io.err(`${paint(io, 'dim', 'There may be more: --limit 100')}\n`)
}
