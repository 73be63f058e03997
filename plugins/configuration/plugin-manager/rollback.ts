/** `svc plugins rollback NAME`: the version before the last update, with the data and settings that it had then. */
import { type CliArguments, type CliContext, confirmCommand, type PluginContext, SvcError } from 'svc/sdk'
import { formatMoment, hasFlag, printJson, quotePath } from 'svc/sdk/kit/terminal'
import { describeInstalled } from './installed.ts'
import { findPlugin } from './plugin-relations.ts'
import { exitCode, printOutcomes } from './running-processes.ts'
import { getBlockPath } from './settings.ts'
import { Staging } from './staging.ts'
import { changeVersion } from './versions/change.ts'
import { findVersion } from './versions/records.ts'
import { getSnapshotFolder } from './versions/snapshots.ts'

export async function rollback(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  const staging = await Staging.open(ctx)
  try {
    const info = await findPlugin(ctx, input.args[0] as string)
    const installed = await describeInstalled(ctx, info)
    const { name } = installed
    const from = findVersion(installed, installed.current)
    const to = findVersion(installed, from?.replaced)
    if (!from || !to)
      throw new SvcError(
        'PLUGIN_NO_PREVIOUS',
        `There is no earlier version of ${name} in this home. See svc plugins info ${name}`,
      )
    const since = `Its data and settings return to those of ${formatMoment(from.at, 'seconds')}`
    const question = `Go back from ${name} ${from.version} to ${to.version}? ${since}; the present ones are kept aside.`
    if (!(await confirmCommand(io, question, input.options))) return 1
    const after = { ...installed, current: to.id }
    const change = { kind: 'rollback', name, block: getBlockPath(info), before: installed, after, from, to } as const
    const processes = await changeVersion(ctx, change)
    const kept = getSnapshotFolder(ctx, name, from.id)
    if (hasFlag(input, 'json')) printJson(io, { name, from: from.version, to: to.version, kept, processes })
    else {
      io.out(
        `${name} is ${to.version} again. Data and settings of ${from.version} are kept in ${quotePath(kept)} until the next update.\n`,
      )
      printOutcomes(io, processes)
    }
    return exitCode(processes)
  } finally {
    staging.close()
  }
}
