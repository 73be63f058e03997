/** New tasks in triage are taken apart without anyone asking, a few at a time, by one process of the installation. */
import { Clock, logFault } from 'svc/sdk'
import { Boards, type PlannedTask, type TaskCard } from 'svc/sdk/kanban'
import { SharedStore } from 'svc/sdk/store'
import { type Context, decompose, NO_CLIENT } from './planner.ts'

/** Renewed while it is held; of a process that was killed, the lock is free then. */
const LOCK_MS = 30_000
/** Then a person has to look at the task: each attempt costs money. */
const MAX_ATTEMPTS = 3
/** After the first failure; twice as long after each further one. */
const BACKOFF_MS = 300_000
const FAILED = 'decompose_failed'
const BY = 'auto-decomposer'
const MAX_LOOKED_AT = 200

/** Contract: `TaskPlanner.planDue` of the SDK. */
export async function planDue(ctx: Context, signal: AbortSignal): Promise<readonly PlannedTask[]> {
  const { auto_decompose, auto_decompose_per_tick } = ctx.config
  if (!auto_decompose || auto_decompose_per_tick === 0) return []
  try {
    if ((await findDue(ctx, 1)).length === 0) return []
    await using database = await ctx.use(SharedStore).open({ owner: ctx.name, migrations: [], scope: 'installation' })
    await using lease = await database.locks.take('auto', { ttlMs: LOCK_MS, holder: `${ctx.name} ${process.pid}` })
    return lease ? await decomposeDue(ctx, AbortSignal.any([signal, lease.signal])) : []
  } catch (error) {
    if (signal.aborted) throw error
    logFault(ctx.log, 'the tasks in triage were not looked at; they are tried again', error)
    return []
  }
}

/** At most as many as the settings say. */
async function decomposeDue(ctx: Context, signal: AbortSignal): Promise<readonly PlannedTask[]> {
  const planned: PlannedTask[] = []
  for (const { id } of await findDue(ctx, ctx.config.auto_decompose_per_tick)) {
    signal.throwIfAborted()
    const result = await decompose(ctx, id, { by: BY, signal })
    const { reason, isFanOut, childIds } = result
    if (reason === NO_CLIENT) break
    planned.push(result)
    if (reason === undefined) ctx.log.info('a task was taken apart', { task: id, isFanOut, children: childIds.length })
    else await ctx.use(Boards).record(id, FAILED, { by: BY, reason })
  }
  return planned
}

/** New ones, the oldest first: what a worker has had in hand came back to be looked at by a person. */
async function findDue(ctx: Context, limit: number): Promise<readonly TaskCard[]> {
  const { tasks } = await ctx
    .use(Boards)
    .list({ board: null, statuses: ['triage'], sort: 'created', limit: MAX_LOOKED_AT })
  const due: TaskCard[] = []
  for (const task of tasks) {
    if (task.startedAt === undefined && (await isDue(ctx, task)) && (await hasMoney(ctx, task))) due.push(task)
    if (due.length === limit) break
  }
  return due
}

/** A task that failed is tried again later, and not for ever: it must not keep others from their turn. */
async function isDue(ctx: Context, { id }: TaskCard): Promise<boolean> {
  const events = await ctx.use(Boards).events({ board: null, taskId: id })
  const since = events.findLastIndex(({ kind }) => kind === 'edited')
  const failed = events.slice(since + 1).filter(({ kind }) => kind === FAILED)
  const last = failed.at(-1)
  if (!last) return true
  return failed.length < MAX_ATTEMPTS && ctx.use(Clock).now() - last.at >= BACKOFF_MS * 2 ** (failed.length - 1)
}

/** A board whose budget is spent claims nothing, so nothing is prepared for it. */
async function hasMoney(ctx: Context, { board }: TaskCard): Promise<boolean> {
  const { budgetUsd, spentUsd } = await ctx.use(Boards).board(board)
  return budgetUsd === undefined || spentUsd < budgetUsd
}
