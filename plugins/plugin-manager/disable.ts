/** `svc plugins disable NAME`: config.yaml first, then the processes that run. */
import { type CliInput, type CliIo, type PluginContext, Plugins, SvcError } from 'svc/sdk'
import { exitCode, printDeeds, tell } from './live.ts'
import { dependents, known } from './relations.ts'
import { readSwitches, writeSwitch } from './switches.ts'
import { confirmed, isSet, printJson } from './text.ts'

export async function disable(ctx: PluginContext<undefined>, input: CliInput, io: CliIo): Promise<number> {
  const info = await known(ctx, input.args[0] as string)
  const { name } = info.manifest
  const along = takenAlong(ctx, name)
  if (along.length && !(await confirmed(input, io, `${along.join(', ')} cannot run without ${name}. Disable it?`)))
    return 1
  const change = await writeSwitch(ctx, info, 'off')
  const processes = await tell(ctx, 'disable', name)
  if (isSet(input, 'json')) printJson(io, { name, changed: change !== undefined, along, processes })
  else {
    const others = along.length ? ` Left out with it: ${along.join(', ')}.` : ''
    io.out(change ? `${name} is off.${others} To take that back: svc config undo\n` : `${name} was off already.\n`)
    printDeeds(io, processes)
  }
  return exitCode(processes)
}

/** Plugins that stop when this one does. Throws `PLUGIN_NEEDED` when `svc plugins` is among them. */
export function takenAlong(ctx: PluginContext<undefined>, name: string): string[] {
  const along = dependents(ctx.use(Plugins).list(), name, readSwitches(ctx))
  if (name !== ctx.name && !along.includes(ctx.name)) return along
  const how = `Nothing could switch it on again. To do it all the same, add ${name} to plugins.disabled in config.yaml.`
  throw new SvcError('PLUGIN_NEEDED', `svc plugins itself needs ${name}. ${how}`)
}
