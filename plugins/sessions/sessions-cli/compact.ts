/** `svc sessions compact`: gives back the disk space of what was removed. */
import { type CliArguments, type CliContext, type PluginContext, Sessions } from 'svc/sdk'
import { formatMegabytes, hasFlag, printJson } from 'svc/sdk/kit/terminal'

const STEPS_A_LINE = 500

export async function compact(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<void> {
  const sessions = ctx.use(Sessions)
  io.err(
    `The file has ${formatMegabytes(sessions.stats().bytes)}. Compacting it; other svc processes are not kept waiting.\n`,
  )
  const progress = (part: 'index' | 'space' | 'file', steps: number) => {
    if (part === 'file')
      io.err('An earlier version made this file, so it is rewritten once: other svc processes wait until it is done.\n')
    else if (steps % STEPS_A_LINE === 0) io.err(`  ${part}: ${steps} steps\n`)
  }
  const { before, after } = await sessions.compact({ progress, signal: io.signal })
  if (hasFlag(input, 'json')) printJson(io, { before, after })
  else io.out(`${formatMegabytes(before)} before, ${formatMegabytes(after)} now.\n`)
}
