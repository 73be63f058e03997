/** `svc uninstall`: shows the plan, asks, and does it in its order. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type CliArguments,
  type CliContext,
  confirmCommand,
  errorMessage,
  Home,
  logFault,
  type PluginContext,
  SvcError,
} from 'svc/sdk'
import { Control, Plugins } from 'svc/sdk/host'
import { hasFlag, printJson, quotePath } from 'svc/sdk/kit/terminal'
import { Backups, Uninstaller, type UninstallItem, type UninstallStep } from 'svc/sdk/operations'
import { listData, removeData } from './data.ts'
import type { Plan } from './plan.ts'

type Context = PluginContext<undefined>

interface Done {
  readonly done: string[]
  /** What a person has to do. */
  readonly left: string[]
  /** The file with the data. */
  backup?: string
}

const WAIT_MS = 2000

/** What was decided before anything is done. */
interface Task {
  readonly plan: Plan
  /** Folders with data that are removed. */
  readonly data: readonly string[]
  readonly hasBackup: boolean
  /** The home, where it stays. */
  readonly kept: string | undefined
}

export async function uninstall(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const isPurge = hasFlag(input, 'purge')
  if (isPurge && hasFlag(input, 'keepData'))
    throw new SvcError('UNINSTALL_OPTION', 'Choose one of --keep-data and --purge.', { status: 400 })
  const { root } = ctx.use(Home)
  const data = isPurge ? listData(root) : []
  const task: Task = {
    plan: await ctx.use(Uninstaller).plan(io.signal),
    data,
    hasBackup: data.length > 0 && input.options['backup'] !== false,
    kept: isPurge ? undefined : root,
  }
  if (hasFlag(input, 'dryRun')) return dryRun(ctx, task, input, io)
  const question = isPurge ? `Remove svc and all data in ${root}?` : 'Remove svc from this machine?'
  if (!(await confirmCommand(io, question, input.options, () => show(io, task)))) return 1
  const result = await remove(ctx, task, io)
  if (hasFlag(input, 'json')) printJson(io, { ok: true, ...result, kept: task.kept })
  else report(io, result, task.kept)
  return 0
}

async function dryRun(ctx: Context, task: Task, input: CliArguments, io: CliContext): Promise<number> {
  const running = await listRunning(ctx)
  if (hasFlag(input, 'json')) printJson(io, { ok: true, dryRun: true, ...describe(task), kept: task.kept, running })
  else {
    show(io, task)
    if (running.length > 0) io.out(`Runs now: ${running.join(', ')}\n`)
    io.out('Nothing was changed.\n')
  }
  return 0
}

/** Throws `UNINSTALL_RUNNING`, and what a backup throws. */
async function remove(ctx: Context, { plan, data, hasBackup }: Task, io: CliContext): Promise<Done> {
  const result: Done = { done: [], left: [] }
  await perform(ctx, plan, 'running', result, io)
  requireEnded(await listRunning(ctx))
  if (hasBackup) result.backup = await backUp(ctx, io)
  await perform(ctx, plan, 'files', result, io)
  removeData(data)
  result.done.push(...data.map((folder) => `Remove ${folder}`))
  await perform(ctx, plan, 'program', result, io)
  return result
}

function describe({ plan, data, hasBackup }: Task) {
  const of = (phase: UninstallStep['phase']) =>
    plan.filter((step) => step.phase === phase).flatMap(({ items }) => items)
  const todo = (items: readonly UninstallItem[]) => items.filter(({ remove }) => remove).map(({ text }) => text)
  const steps = [
    ...todo(of('running')),
    ...(hasBackup ? ['Make a backup of the data, next to its folder'] : []),
    ...todo(of('files')),
    ...data.map((folder) => `Remove ${folder}`),
    ...todo(of('program')),
  ]
  const left = plan.flatMap(({ items }) => items.filter(({ remove }) => !remove).map(({ text }) => text))
  return { steps, left }
}

function show(io: CliContext, task: Task): void {
  const { steps, left } = describe(task)
  if (steps.length > 0) io.out(`This is done:\n${steps.map((text) => `  ${text}\n`).join('')}`)
  if (left.length > 0) io.out(`This is for you to do:\n${left.map((text) => `  ${text}\n`).join('')}`)
  if (task.kept !== undefined) io.out(`The data stays in ${task.kept}\n`)
}

function report(io: CliContext, { done, left, backup }: Done, kept: string | undefined) {
  for (const text of done) io.out(`ok  ${text}\n`)
  if (backup !== undefined) io.out(`The backup of the data is ${backup}\n`)
  if (left.length > 0) io.out(`This is for you to do:\n${left.map((text) => `  ${text}\n`).join('')}`)
  if (kept !== undefined && existsSync(kept)) io.out(`The data is in ${kept}. To remove it: rm -r ${quotePath(kept)}\n`)
}

/** A step that fails does not stop the others. */
async function perform(
  ctx: Context,
  plan: Plan,
  phase: UninstallStep['phase'],
  { done, left }: Done,
  io: CliContext,
): Promise<void> {
  for (const { step, items } of plan.filter((each) => each.phase === phase))
    for (const { text, remove } of items) {
      if (!remove) {
        left.push(text)
        continue
      }
      io.signal.throwIfAborted()
      try {
        await remove(io.signal)
        done.push(text)
      } catch (error) {
        io.signal.throwIfAborted()
        if (phase !== 'program') logFault(ctx.log, `the uninstall step ${step} failed`, error)
        left.push(`${text}: ${errorMessage(error)}`)
      }
    }
}

/** Processes of svc in the home and in its profiles, but this one. */
async function listRunning(ctx: Context): Promise<readonly string[]> {
  const { root } = ctx.use(Home)
  const control = await ctx.use(Plugins).bring(Control)
  const profiles = join(root, 'profiles')
  const homes = [root, ...(existsSync(profiles) ? readdirSync(profiles).map((name) => join(profiles, name)) : [])]
  const answers = await Promise.all(
    homes.map((home) => control?.ask('plugins.list', {}, { home, timeoutMs: WAIT_MS }) ?? []),
  )
  return answers
    .flat()
    .filter(({ pid }) => pid !== process.pid)
    .map(({ command, pid }) => `${command} (process ${pid})`)
}

/** Throws `UNINSTALL_RUNNING`. */
function requireEnded(running: readonly string[]): void {
  if (running.length === 0) return
  const message = `svc still runs: ${running.join(', ')}. End that, then uninstall again. Nothing else was removed.`
  throw new SvcError('UNINSTALL_RUNNING', message, { status: 409 })
}

/** Throws what a backup throws, before any data is removed. */
async function backUp(ctx: Context, io: CliContext): Promise<string> {
  const backups = await ctx.use(Plugins).bring(Backups)
  if (!backups)
    throw new SvcError(
      'UNINSTALL_DATA',
      'The data cannot be backed up: the plugin for it is switched off. To remove it without: --no-backup',
    )
  return (await backups.create({ signal: io.signal })).file
}
