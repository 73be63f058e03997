/** The whole life of a worker: takes over the claim, works at the task in its conversation, and says how it ended. */
import {
  Agent,
  type CliContext,
  Clock,
  errorCode,
  errorMessage,
  Home,
  type PluginContext,
  Secrets,
  Sessions,
  SvcError,
  type TurnEvent,
} from 'svc/sdk'
import { Boards, type Task, type WorkerReport } from 'svc/sdk/kanban'
import { writeAtomicallySync } from 'svc/sdk/kit/files'
import { safePiece } from 'svc/sdk/kit/terminal'
import { Budgets } from 'svc/sdk/safety'
import { Skills } from 'svc/sdk/skills'
import { WorkerClaim } from './claim.ts'
import { openTaskSession, SURFACE, type TaskSession } from './session.ts'
import { workText } from './task-text.ts'
import { TurnWatch } from './turn-end.ts'

export interface WorkDeps {
  readonly ctx: PluginContext<undefined>
  /** Told of the claim, before anything is done under it. */
  readonly taken: (claim: WorkerClaim, sessionId: string) => void
}

/** Returns the exit code. Throws `KANBAN_NO_CLAIM`. */
export async function work({ ctx, taken }: WorkDeps, io: CliContext): Promise<number> {
  const variable = (name: string) => ctx.use(Secrets).get(name)
  const taskId = variable('SVC_KANBAN_TASK')
  const epoch = Number(variable('SVC_KANBAN_EPOCH'))
  if (!taskId || !Number.isSafeInteger(epoch) || epoch < 1)
    throw new SvcError('KANBAN_NO_CLAIM', 'No task was claimed for this process. To start workers: svc kanban dispatch')
  const report = await attempt(ctx, io, { claim: { taskId, epoch }, taken })
  if (report.error !== undefined) io.err(`svc: ${report.error}\n`)
  leave(ctx, variable('SVC_KANBAN_REPORT'), report)
  return report.exitCode
}

/** A full disk must not change how the worker ends: its exit code says the same. */
function leave(ctx: PluginContext<undefined>, file: string | undefined, report: WorkerReport): void {
  if (!file) return
  try {
    writeAtomicallySync(file, JSON.stringify(report))
  } catch (error) {
    ctx.log.warn('the report of a worker could not be written', { file, error })
  }
}

type Attempt = {
  readonly claim: { readonly taskId: string; readonly epoch: number }
  readonly taken: WorkDeps['taken']
}

async function attempt(
  ctx: PluginContext<undefined>,
  io: CliContext,
  { claim: of, taken }: Attempt,
): Promise<WorkerReport> {
  const deps = { boards: () => ctx.use(Boards), clock: ctx.use(Clock), log: ctx.log }
  try {
    const claim = await WorkerClaim.take(of, deps)
    try {
      return await workAt(ctx, io, { claim, taken })
    } finally {
      await claim.close()
    }
  } catch (error) {
    ctx.log.warn('a worker failed', { task: of.taskId, error })
    return { exitCode: 1, error: `${errorMessage(error)} (${errorCode(error)})` }
  }
}

async function workAt(
  ctx: PluginContext<undefined>,
  io: CliContext,
  { claim, taken }: { readonly claim: WorkerClaim; readonly taken: WorkDeps['taken'] },
): Promise<WorkerReport> {
  const { task } = claim
  const boards = ctx.use(Boards)
  const profile = ctx.use(Home).profile ?? 'default'
  const opened = await openTaskSession({ boards, sessions: ctx.use(Sessions), profile, cwd: io.cwd }, task)
  taken(claim, opened.session.id)
  const signal = AbortSignal.any([io.signal, claim.signal])
  const groups = await openBudgets(ctx, task)
  const events = { claim, io }
  if (opened.isContinued) await follow(ctx.use(Agent).resume(opened.session.id, { signal }), events)
  if (claim.isOver || signal.aborted) return judgeDeparture(claim, { exitCode: signal.aborted ? 1 : 0 })
  const text = await firstText(ctx, opened, task)
  const watch = await follow(
    ctx.use(Agent).run({
      ...{ sessionId: opened.session.id, text, surface: SURFACE, signal, groups },
      ...{ purpose: 'scheduled', source: 'plugin' },
      ...(task.model !== undefined && { model: task.model }),
    }),
    events,
  )
  const judged = watch.judge()
  if (!('block' in judged)) return judgeDeparture(claim, judged)
  if (!claim.isOver)
    await boards.block(task.id, { by: profile, reason: judged.block, kind: 'capability', lease: claim.lease })
  return { exitCode: 0 }
}

/** A task that has left the hands of the worker is settled, whatever became of the rest of the turn. */
function judgeDeparture({ departure }: WorkerClaim, judged: WorkerReport): WorkerReport {
  if (departure === 'lost') return { exitCode: 1, error: 'The task was taken from this worker.' }
  return departure === undefined ? judged : { exitCode: 0 }
}

/** What it may cost: the task by itself, and all tasks of its board together. */
async function openBudgets(ctx: PluginContext<undefined>, { id, board: slug, budgetUsd }: Task): Promise<string[]> {
  const [ofTask, ofBoard] = [`task:${id}`, `board:${slug}`]
  const board = await ctx.use(Boards).board(slug)
  const budgets = ctx.find(Budgets)
  if (budgetUsd !== undefined) budgets?.limit(ofTask, { usd: budgetUsd })
  if (board.budgetUsd !== undefined) budgets?.limit(ofBoard, { usd: board.budgetUsd })
  if (!budgets && (budgetUsd !== undefined || board.budgetUsd !== undefined))
    throw new SvcError('KANBAN_NO_BUDGETS', 'The task has a budget and no plugin keeps it. Switch `budgets` on.')
  return [ofTask, ofBoard]
}

async function firstText(ctx: PluginContext<undefined>, { isContinued }: TaskSession, task: Task): Promise<string> {
  const text = workText(await ctx.use(Boards).details(task.id), { isContinued })
  if (task.skills.length === 0) return text
  const skills = await ctx.find(Skills)?.load(task.skills, { surface: SURFACE })
  const missing = skills?.missing ?? task.skills
  if (missing.length > 0) ctx.log.warn('skills of a task are not there', { task: task.id, missing })
  return skills?.text ? `${skills.text}\n\n${text}` : text
}

async function follow(
  events: AsyncIterable<TurnEvent>,
  { claim, io }: { readonly claim: WorkerClaim; readonly io: CliContext },
): Promise<TurnWatch> {
  const watch = new TurnWatch()
  let model = ''
  for await (const event of events) {
    watch.take(event)
    if (event.type === 'model.start') model = event.model
    if (event.type === 'usage') claim.spend(event.usage, model)
    const line = logLine(event)
    if (line !== undefined) io.out(safePiece(`${line}\n`))
  }
  return watch
}

/** What the log of the task shows of a turn. */
function logLine(event: TurnEvent): string | undefined {
  if (event.type === 'message.complete') return event.text === '' ? undefined : event.text
  if (event.type === 'tool.start') return `> ${event.name} ${JSON.stringify(event.input).slice(0, 300)}`
  if (event.type === 'tool.complete' && !event.ok) return `! ${event.name}: ${event.text.slice(0, 300)}`
  if (event.type === 'error') return `! ${event.message}`
  return undefined
}
