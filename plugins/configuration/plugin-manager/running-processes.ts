/** The svc processes that run in this home: what they say of plugins, and telling them of changes. */
import type { CliArguments, CliContext, PluginContext } from 'svc/sdk'
import type { PluginInfo, PluginProblem } from 'svc/sdk/host'
import { Control, type ControlAnswer } from 'svc/sdk/host'
import { hasFlag, paint, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { findPlugin } from './plugin-relations.ts'

const LIST_MS = 2000

/** A running process and its plugins. */
export interface LiveProcess {
  readonly pid: number
  readonly command: string
  readonly plugins: readonly PluginInfo[]
  readonly problems: readonly PluginProblem[]
  /** Why it could not be asked; then its lists are empty. */
  readonly silent?: string
}

/** A plugin in one of the processes that have loaded it. */
export type LivePlugin = Pick<LiveProcess, 'pid' | 'command'> &
  Pick<PluginInfo, 'status' | 'generation' | 'reason' | 'holds'>

/** Where a plugin is loaded. */
export function findPlaces({ manifest, origin }: PluginInfo, processes: readonly LiveProcess[]): LivePlugin[] {
  return processes.flatMap(({ pid, command, plugins }) => {
    const same = plugins.filter((other) => other.manifest.name === manifest.name && other.origin === origin)
    return same.flatMap(({ status, generation, reason, holds }) => {
      const why = reason === undefined ? {} : { reason }
      return generation > 0 ? [{ pid, command, status, generation, holds, ...why }] : []
    })
  })
}

/** What one process did when it was told of a change. */
export interface ProcessOutcome {
  readonly pid: number
  readonly command: string
  /** `failed`: the change did not come about there; `untouched`: it does not concern that process. */
  readonly outcome: 'done' | 'untouched' | 'failed'
  readonly says: string
}

export async function liveProcesses(ctx: PluginContext<undefined>): Promise<LiveProcess[]> {
  const answers = await ctx.use(Control).ask('plugins.list', {}, { timeoutMs: LIST_MS })
  return answers.map(({ pid, command, result, error }) => {
    const lists = (result ?? { plugins: [], problems: [] }) as Pick<LiveProcess, 'plugins' | 'problems'>
    return { pid, command, ...lists, ...(error ? { silent: error.message } : {}) }
  })
}

/** Tells every running process; empty when none runs. */
export async function tell(
  ctx: PluginContext<undefined>,
  what: 'enable' | 'disable' | 'reload',
  name: string,
): Promise<ProcessOutcome[]> {
  const answers = await ctx.use(Control).ask(`plugins.${what}`, { name })
  return answers.map((answer) => ({ pid: answer.pid, command: answer.command, ...toOutcome(answer, what, name) }))
}

function toOutcome(
  { error, result }: ControlAnswer,
  what: string,
  name: string,
): Pick<ProcessOutcome, 'outcome' | 'says'> {
  const { code, message } = error ?? {}
  if (what !== 'enable' && (code === 'PLUGIN_UNKNOWN' || (code === 'PLUGIN_LEFT_OUT' && what === 'reload')))
    return { outcome: 'untouched', says: 'does not run it' }
  if (message !== undefined) return { outcome: 'failed', says: message }
  const { names = [], generation } = result as { names?: readonly string[]; generation?: number }
  if (what !== 'disable') return { outcome: 'done', says: `runs it (generation ${generation})` }
  if (!names.length) return { outcome: 'untouched', says: 'does not run it' }
  const others = names.filter((other) => other !== name)
  return { outcome: 'done', says: others.length ? `stopped it, and with it ${others.join(', ')}` : 'stopped it' }
}

/** One line for each process. */
export function printOutcomes(io: CliContext, outcomes: readonly ProcessOutcome[]): void {
  for (const { pid, command, outcome, says } of outcomes) {
    const line = `  ${safeLine(command)} (process ${pid}): ${safeLine(says)}`
    io.out(`${outcome === 'failed' ? paint(io, 'red', line) : line}\n`)
  }
}

/** 1 when a process could not follow. */
export function exitCode(outcomes: readonly ProcessOutcome[]): number {
  return outcomes.some(({ outcome }) => outcome === 'failed') ? 1 : 0
}

/** `svc plugins reload NAME`. */
export async function reload(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  const name = input.args[0] as string
  await findPlugin(ctx, name)
  const processes = await tell(ctx, 'reload', name)
  if (hasFlag(input, 'json')) printJson(io, { name, processes })
  else {
    const idle = processes.every(({ outcome }) => outcome === 'untouched')
    if (idle) io.out(`No svc that runs in this home has ${name} loaded. The next one to load it takes what is there.\n`)
    printOutcomes(io, processes)
  }
  return exitCode(processes)
}
