/** `svc plugins enable NAME` and `disable NAME`: config.yaml first, then the processes that run. */
import {
  type CliInput,
  type CliIo,
  type ConfigChange,
  type PluginContext,
  type PluginInfo,
  Plugins,
  SvcError,
} from 'svc/sdk'
import { type Deed, exitCode, printDeeds, tell } from './live.ts'
import { abilities, dependents, known, missingServices, obstacle } from './relations.ts'
import { isForeign, readSwitches, writeSwitch } from './switches.ts'
import { confirmed, isSet, paint, plain, printJson } from './text.ts'

export async function enable(ctx: PluginContext<undefined>, input: CliInput, io: CliIo): Promise<number> {
  const info = await known(ctx, input.args[0] as string)
  const { name } = info.manifest
  const problem = obstacle(info)
  if (problem) throw new SvcError('PLUGIN_NOT_USABLE', `${name} cannot run: ${problem}. ${info.dir}`)
  if (!(await agreed(ctx, info, input, io))) return 1
  const result = await announce(ctx, info, await writeSwitch(ctx, info, 'on'))
  if (isSet(input, 'json')) printJson(io, { name, ...result })
  else printSwitchedOn(io, name, result)
  return exitCode(result.processes)
}

/** What came of switching a plugin on. */
export interface SwitchedOn {
  /** False when config.yaml had it on already. */
  readonly changed: boolean
  /** Services that nobody provides: it stays out until somebody does. */
  readonly missing: readonly string[]
  readonly processes: readonly Deed[]
}

/** Tells the running processes of a plugin that config.yaml has on now. */
export async function announce(
  ctx: PluginContext<undefined>,
  info: PluginInfo,
  change: ConfigChange | undefined,
): Promise<SwitchedOn> {
  const missing = missingServices(ctx, info, readSwitches(ctx))
  return { changed: change !== undefined, missing, processes: await tell(ctx, 'enable', info.manifest.name) }
}

export function printSwitchedOn(io: CliIo, name: string, { changed, missing, processes }: SwitchedOn): void {
  io.out(changed ? `${name} is on. To take that back: svc config undo\n` : `${name} was on already.\n`)
  if (missing.length) {
    const needs = `It stays out for now: it needs ${missing.map((id) => `"${id}"`).join(', ')}, which no plugin that is on provides.`
    io.out(`${paint(io, 'yellow', needs)}\n`)
  }
  printDeeds(io, processes)
}

/** A foreign plugin is agreed to once: it is shown what it says it does. */
async function agreed(ctx: PluginContext<undefined>, info: PluginInfo, input: CliInput, io: CliIo): Promise<boolean> {
  const { manifest, origin } = info
  const { enabled } = readSwitches(ctx)
  if (!isForeign(origin) || enabled.includes(manifest.name) || isSet(input, 'json')) return true
  io.out(`${plain(`${manifest.name} ${manifest.version} (${origin}): ${manifest.description}`)}\n`)
  for (const line of abilities(manifest)) io.out(`  ${line}\n`)
  return !io.interactive || (await confirmed(input, io, `Let ${manifest.name} run?`))
}

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
