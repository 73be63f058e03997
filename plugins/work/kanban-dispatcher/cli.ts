/** `svc kanban dispatch`: one look at the boards, or looks until Ctrl-C. */
import { type CliArguments, type CliCommand, type CliContext, type PluginContext, SvcError } from 'svc/sdk'
import { Boards, type DispatchOptions, type DispatchReport } from 'svc/sdk/kanban'
import { safeLine } from 'svc/sdk/kit/terminal'
import type { Config } from './config.ts'

type Context = PluginContext<Config>

export function dispatchCommand(ctx: Context): CliCommand {
  return {
    name: 'kanban dispatch',
    description: 'Look after workers and give ready tasks to new ones, once or until Ctrl-C',
    options: [
      { flags: '--dry-run', description: 'Only print what would be started' },
      { flags: '--max <count>', description: 'Start so many tasks at most' },
      { flags: '--failure-limit <count>', description: 'Block a task after so many failed runs' },
      { flags: '--board <slug>', description: 'Start only tasks of this board' },
      { flags: '--watch', description: 'Go on until Ctrl-C, instead of a gateway' },
      { flags: '--json', description: 'Print one JSON object per look' },
    ],
    examples: ['kanban dispatch --dry-run', 'kanban dispatch --max 1 --json', 'kanban dispatch --watch'],
    run: (input, io) => run(ctx, input, io),
  }
}

async function run(ctx: Context, { options }: CliArguments, io: CliContext): Promise<number> {
  const chosen = readOptions(options)
  if (chosen.board !== undefined) await ctx.use(Boards).board(chosen.board)
  const print = options['json'] === true ? printJson : printText
  const signal = AbortSignal.any([ctx.signal, io.signal])
  if (options['watch'] === true) {
    const { startLoop } = await import('./start-loop.ts')
    await startLoop(ctx, { signal, options: chosen, isAlone: true, onReport: (report) => print(io, report, true) })
    return 0
  }
  const { dispatchOnce } = await import('./dispatch-once.ts')
  const { report, heldBy } = await dispatchOnce(ctx, chosen, signal)
  if (report) print(io, report, false)
  else if (options['json'] === true) io.out(`${JSON.stringify({ held_by: heldBy || null })}\n`)
  else
    io.out(
      `Another process dispatches already (${safeLine(heldBy || 'it has just ended')}). It was told to look now.\n`,
    )
  return 0
}

function readOptions(options: CliArguments['options']): DispatchOptions & { readonly isDry: boolean } {
  const max = count(options['max'], '--max')
  const failureLimit = count(options['failureLimit'], '--failure-limit')
  const { board } = options
  return {
    isDry: options['dryRun'] === true,
    ...(max !== undefined && { max }),
    ...(failureLimit !== undefined && { failureLimit }),
    ...(typeof board === 'string' && { board }),
  }
}

function count(typed: CliArguments['options'][string], option: string): number | undefined {
  if (typed === undefined) return undefined
  if (typeof typed === 'string' && /^[1-9]\d{0,4}$/.test(typed)) return Number(typed)
  throw new SvcError('CLI_USAGE', `${option} is ${JSON.stringify(typed)}; it must be a whole number above 0.`)
}

function printJson(io: CliContext, report: DispatchReport): void {
  io.out(`${JSON.stringify(report)}\n`)
}

/** In a row of looks, those in which nothing happened are not shown. */
function printText(io: CliContext, report: DispatchReport, isRow: boolean): void {
  const lines = [
    ...report.ended.map(({ task, outcome, error }) => `${task} ${outcome}${error === undefined ? '' : `: ${error}`}`),
    ...report.promoted.map((task) => `${task} is ready`),
    ...report.extended.map((task) => `${task} keeps its worker, which lives although its lease was over`),
    ...report.started.map(
      ({ task, assignee, pid }) =>
        `${task} ${pid === undefined ? 'would go' : 'goes'} to ${assignee}${pid === undefined ? '' : ` (process ${pid})`}`,
    ),
    ...(isRow ? [] : report.skipped.map(({ task, reason }) => `${task} waits: ${REASONS[reason] ?? reason}`)),
    ...(isRow ? [] : report.under_way.map((task) => `${task} is being settled`)),
  ]
  if (lines.length > 0) io.out(`${lines.map(safeLine).join('\n')}\n`)
  else if (!isRow) io.out('Nothing is ready. To see what waits for what: svc kanban list\n')
}

const REASONS: Readonly<Record<string, string>> = {
  cap: 'enough workers run',
  'rate-limit': 'the model service refuses this profile for a while',
  'unknown-profile': 'its assignee is no profile. To see them: svc profile list',
  parents: 'a parent is open',
  pause: 'it is not its time yet',
  budget: 'its budget is spent',
  'board-budget': 'the budget of its board is spent',
  status: 'it was changed meanwhile',
}
