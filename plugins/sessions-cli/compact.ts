/** `svc sessions compact`: gives back the disk space of what was removed. */
import { type CliInput, type CliIo, type PluginContext, Sessions } from 'svc/sdk'
import { isSet, megabytes, printJson } from './text.ts'

const STEPS_A_LINE = 500

export async function compact(ctx: PluginContext<undefined>, input: CliInput, io: CliIo): Promise<void> {
  const sessions = ctx.use(Sessions)
  io.err(
    `The file has ${megabytes(sessions.stats().bytes)}. Compacting it; other svc processes are not kept waiting.\n`,
  )
  const progress = (part: 'index' | 'space' | 'file', steps: number) => {
    if (part === 'file')
      io.err('An earlier version made this file, so it is rewritten once: other svc processes wait until it is done.\n')
    else if (steps % STEPS_A_LINE === 0) io.err(`  ${part}: ${steps} steps\n`)
  }
  const { before, after } = await sessions.compact({ progress, signal: io.signal })
  if (isSet(input, 'json')) printJson(io, { before, after })
  else io.out(`${megabytes(before)} before, ${megabytes(after)} now.\n`)
}
