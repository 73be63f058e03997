/** `svc plugins list`: what is there, what runs where, and why the rest does not. */
import type { CliArguments, CliContext, PluginContext } from 'svc/sdk'
import { type LeftOut, type PluginInfo, type PluginProblem, Plugins } from 'svc/sdk/host'
import { formatColumns, formatMoment, hasFlag, paint, printJson, safeLine, wrapText } from 'svc/sdk/kit/terminal'
import type { OldName } from './migrate/files.ts'
import { findUsedOldNames, printOldNames } from './old-names.ts'
import { explainNeverLoaded, obstacle } from './plugin-relations.ts'
import { findPlaces, type LivePlugin, type LiveProcess, liveProcesses } from './running-processes.ts'
import { type SettingsProblems, settingsProblems } from './settings.ts'
import { adviseRecovery, findInterrupted } from './versions/interrupted.ts'

const SHOWN_PROBLEMS = 10

/** A plugin as the list shows it. */
interface Row {
  readonly name: string
  readonly version: string
  readonly kind: string
  readonly description: string
  readonly origin: PluginInfo['origin']
  readonly dir: string
  /** In this process, which loaded only what the list itself needs. */
  readonly status: PluginInfo['status']
  readonly reason?: string
  /** The reason as data. */
  readonly leftOut?: LeftOut
  /** What it does not accept of its settings. */
  readonly settings?: readonly string[]
  /** Names of earlier SDKs that its code uses. */
  readonly oldNames?: readonly OldName[]
  /** The processes that have loaded it. */
  readonly running: readonly LivePlugin[]
}

export async function list(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  const [processes, settings] = await Promise.all([liveProcesses(ctx), settingsProblems(ctx)])
  const found = ctx.use(Plugins).list()
  const oldNames = new Map(
    await Promise.all(found.map(async (info) => [info, await findUsedOldNames(ctx, info)] as const)),
  )
  const rows = found
    .map((info) => createRow(withReason(ctx, info), processes, settings, oldNames.get(info)))
    .sort((a, b) => a.name.localeCompare(b.name))
  const problems = ctx.use(Plugins).problems()
  const interrupted = findInterrupted(ctx)
  if (hasFlag(input, 'json')) {
    const summary = processes.map(({ plugins: _, ...rest }) => rest)
    printJson(io, { plugins: rows, problems, processes: summary, ...(interrupted && { interrupted }) })
    return 0
  }
  if (interrupted) io.out(`${paint(io, 'yellow', adviseRecovery(interrupted))}\n\n`)
  const shown = hasFlag(input, 'all') ? rows : rows.filter((row) => isNotable(row))
  const rest = rows.filter((row) => !shown.includes(row))
  const optional = rest.filter(isOptional).map(({ name }) => name)
  const ready = rest.filter((row) => !isOptional(row)).map(({ name }) => name)
  if (shown.length) printTable(io, shown)
  if (ready.length)
    io.out(`${shown.length ? '\n' : ''}${wrapText(io, `Ready when needed: ${ready.join(', ')}.`, '  ')}\n`)
  if (optional.length) {
    const text = `Off until enabled: ${optional.join(', ')}. To enable one: svc plugins enable NAME`
    io.out(`${wrapText(io, text, '  ')}\n`)
  }
  if (ready.length)
    io.out(`${paint(io, 'dim', 'All in full: svc plugins --all    One of them: svc plugins info NAME')}\n`)
  for (const { name, oldNames: used = [] } of rows) printOldNames(io, name, used)
  printProcesses(io, processes)
  printProblems(io, 'this command', problems)
  for (const { command, pid, problems } of processes) printProblems(io, `${command} (process ${pid})`, problems)
  return 0
}

/** A plugin that nothing loads is not ready. */
function withReason(ctx: PluginContext<undefined>, info: PluginInfo): PluginInfo {
  if (info.status !== 'available' || info.origin === 'built-in') return info
  const reason = explainNeverLoaded(ctx, info)
  return reason === undefined ? info : { ...info, status: 'left-out', reason }
}

function createRow(
  info: PluginInfo,
  processes: readonly LiveProcess[],
  problems: SettingsProblems,
  oldNames: readonly OldName[] = [],
): Row {
  const { name, version, kind, description } = info.manifest
  const { origin, dir, status, reason, leftOut } = info
  const running = findPlaces(info, processes)
  const settings = problems.get(name)
  const basics = { name, version, kind, description, origin, dir, status, running, ...(settings && { settings }) }
  const old = oldNames.length > 0 ? { oldNames } : {}
  return { ...basics, ...old, ...(reason === undefined ? {} : { reason }), ...(leftOut && { leftOut }) }
}

/** What a user brought, what runs, and what has something to say. */
function isNotable(row: Row): boolean {
  const { origin, reason, running, settings } = row
  const says = reason !== undefined && !isOptional(row)
  return settings !== undefined || origin !== 'built-in' || says || running.length > 0
}

/** It comes with svc and is off until a user wants it. */
function isOptional({ origin, leftOut }: Row): boolean {
  return origin === 'built-in' && leftOut?.code === 'not-enabled'
}

function printTable(io: CliContext, rows: readonly Row[]): void {
  const [head, ...lines] = formatColumns([
    ['NAME', 'KIND', 'FROM', 'STATUS', ''],
    ...rows.map((row) => [row.name, row.kind, row.origin, wordFor(row), remark(row)]),
  ])
  io.out(`${paint(io, 'bold', head ?? '')}\n`)
  for (const [at, line] of lines.entries()) {
    const style = { failed: 'red', invalid: 'red', off: 'dim', broken: 'red', suspended: 'yellow' }[
      wordFor(rows[at] as Row)
    ]
    io.out(`${style ? paint(io, style as 'red', line) : line}\n`)
  }
}

/** The state of a plugin in a word, over all processes. */
export function wordFor(row: Pick<Row, 'status' | 'reason' | 'leftOut' | 'running' | 'settings'>): string {
  const { status, running, settings } = row
  const states = [status, ...running.map((place) => place.status)]
  if (states.includes('failed')) return 'failed'
  if (states.includes('suspended')) return 'suspended'
  if (running.length) return 'running'
  if (status !== 'left-out') return settings ? 'invalid' : 'ready'
  return obstacle(row) ? 'broken' : 'off'
}

function remark({ reason, running, description, settings }: Row): string {
  const said = reason ?? settings?.join('; ') ?? running.find((place) => place.reason !== undefined)?.reason
  const places = running.map(({ command, pid }) => `${command} ${pid}`).join(', ')
  return [places, said ?? (running.length ? '' : description)].filter(Boolean).join('; ')
}

function printProcesses(io: CliContext, processes: readonly LiveProcess[]): void {
  if (!processes.length) return
  io.out('\n')
  for (const { command, pid, plugins, silent } of processes) {
    const loaded = plugins.filter(({ generation }) => generation > 0).length
    const state = silent === undefined ? `${loaded} plugins loaded` : `which did not answer: ${silent}`
    io.out(`Running: ${safeLine(command)} (process ${pid}), ${safeLine(state)}\n`)
  }
}

function printProblems(io: CliContext, where: string, problems: readonly PluginProblem[]): void {
  if (!problems.length) return
  io.out(`\nProblems in ${where}\n`)
  for (const { at, plugin, stage, message } of problems.slice(-SHOWN_PROBLEMS))
    io.out(`  ${paint(io, 'yellow', safeLine(`${formatMoment(at, 'seconds')} ${plugin}: ${stage}: ${message}`))}\n`)
}
