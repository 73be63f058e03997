/** `svc plugins enable NAME` and `disable NAME`: config.yaml first, then the processes that run. */
import { type CliArguments, type CliContext, confirmCommand, type PluginContext, SvcError } from 'svc/sdk'
import { type ConfigChange, type PluginInfo, Plugins } from 'svc/sdk/host'
import { hasFlag, paint, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { agreement } from './consent.ts'
import { dependents, explainNeverLoaded, findPlugin, missingServices, obstacle, rivalry } from './plugin-relations.ts'
import { exitCode, type ProcessOutcome, printOutcomes, tell } from './running-processes.ts'
import { readSwitches, writeSwitch } from './switches.ts'

export async function enable(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  const info = await findPlugin(ctx, input.args[0] as string)
  const { name } = info.manifest
  const problem = obstacle(info)
  if (problem) throw new SvcError('PLUGIN_NOT_USABLE', `${name} cannot run: ${problem}. ${info.dir}`)
  const agreed = await agreement(ctx, info, input, io)
  if (agreed === 'declined') return 1
  const result = await announce(ctx, info, await writeSwitch(ctx, info, 'on'))
  // Processes that run the code of before take the code that was agreed to now.
  const news = agreed && !result.changed ? await tell(ctx, 'reload', name) : []
  const processes = result.processes.map(
    (earlier) => news.find(({ pid, outcome }) => pid === earlier.pid && outcome !== 'untouched') ?? earlier,
  )
  if (hasFlag(input, 'json')) printJson(io, { name, ...result, processes, ...(agreed && { agreed }) })
  else {
    if (agreed) io.out(`You agreed to its code: ${safeLine(agreed.path)} (SHA-256 ${agreed.hash.slice(0, 16)})\n`)
    printSwitchedOn(io, name, { ...result, processes })
  }
  return exitCode(processes)
}

/** What came of switching a plugin on. */
export interface SwitchedOn {
  /** False when config.yaml had it on already. */
  readonly changed: boolean
  /** Services that no plugin provides: this plugin stays out until one does. */
  readonly missing: readonly string[]
  /** Why it will not run although it is on: nothing loads it, or it conflicts with another plugin. */
  readonly problem?: string
  readonly processes: readonly ProcessOutcome[]
}

/** Tells the running processes of a plugin that config.yaml has on now. */
export async function announce(
  ctx: PluginContext<undefined>,
  info: PluginInfo,
  change: ConfigChange | undefined,
): Promise<SwitchedOn> {
  const missing = missingServices(ctx, info, readSwitches(ctx))
  const problem = explainNeverLoaded(ctx, info) ?? rivalry(ctx, info, readSwitches(ctx))
  const processes = await tell(ctx, 'enable', info.manifest.name)
  return { changed: change !== undefined, missing, ...(problem !== undefined && { problem }), processes }
}

export function printSwitchedOn(
  io: CliContext,
  name: string,
  { changed, missing, problem, processes }: SwitchedOn,
): void {
  const back = changed ? ' To take that back: svc config undo' : ''
  if (problem !== undefined)
    io.out(
      `${paint(io, 'yellow', safeLine(`${name} is named in plugins.enabled, but does not run: ${problem}.`))}${back}\n`,
    )
  else io.out(changed ? `${name} is on.${back}\n` : `${name} was on already.\n`)
  if (missing.length) {
    const needs = `It stays out for now: it needs ${missing.map((id) => `"${id}"`).join(', ')}, which no plugin that is on provides.`
    io.out(`${paint(io, 'yellow', needs)}\n`)
  }
  printOutcomes(io, processes)
}

export async function disable(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  const info = await findPlugin(ctx, input.args[0] as string)
  const { name } = info.manifest
  const along = findDependents(ctx, name)
  const question = `${along.join(', ')} cannot run without ${name}. Disable it?`
  if (along.length && !(await confirmCommand(io, question, input.options))) return 1
  const change = await writeSwitch(ctx, info, 'off')
  const processes = await tell(ctx, 'disable', name)
  if (hasFlag(input, 'json')) printJson(io, { name, changed: change !== undefined, along, processes })
  else {
    const others = along.length ? ` Left out with it: ${along.join(', ')}.` : ''
    io.out(change ? `${name} is off.${others} To take that back: svc config undo\n` : `${name} was off already.\n`)
    printOutcomes(io, processes)
  }
  return exitCode(processes)
}

/** Plugins that stop when this one does. Throws `PLUGIN_NEEDED` when `svc plugins` is among them. */
export function findDependents(ctx: PluginContext<undefined>, name: string): string[] {
  const along = dependents(ctx.use(Plugins).list(), name, readSwitches(ctx))
  if (name !== ctx.name && !along.includes(ctx.name)) return along
  const how = `Nothing could switch it on again. To do it all the same, add ${name} to plugins.disabled in config.yaml.`
  throw new SvcError('PLUGIN_NEEDED', `svc plugins itself needs ${name}. ${how}`)
}
