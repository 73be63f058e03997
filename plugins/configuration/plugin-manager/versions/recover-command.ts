/** `svc plugins recover`: settles what an ended process left half done. */
import type { CliArguments, CliContext, PluginContext } from 'svc/sdk'
import { hasFlag, printJson } from 'svc/sdk/kit/terminal'
import { Staging } from '../staging.ts'
import { describeInterrupted, findInterrupted } from './interrupted.ts'

/** Each command that changes something does the same before its own work. */
export async function recoverNow(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  const found = findInterrupted(ctx)
  const staging = await Staging.open(ctx)
  staging.close()
  if (hasFlag(input, 'json')) printJson(io, { recovered: found ?? null })
  else if (found) io.out(`${describeInterrupted(found)} That is settled now: svc plugins list\n`)
  else io.out('Nothing was interrupted.\n')
  return 0
}
