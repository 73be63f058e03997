/** New tasks in triage are taken apart in the gateway, a few in a minute, by one process of the installation. */
import { Clock, type Dispose, logFault } from 'svc/sdk'
import { Boards, type TaskCard } from 'svc/sdk/kanban'
import { SharedStore } from 'svc/sdk/store'
import { type Context, decompose, NO_CLIENT } from './planner.ts'

const TICK_MS = 60_000
/** Longer than a tick may take: of a process that was killed, the lock is free then. */
const LOCK_MS = 30_000
/** Then a person has to look at the task: each attempt costs money. */
const MAX_ATTEMPTS = 3
/** After the first failure; twice as long after each further one. */
const BACKOFF_MS = 300_000
const FAILED = 'decompose_failed'
const BY = 'auto-decomposer'
const MAX_LOOKED_AT = 200

/** Until the returned function is called. */
export function startAuto(ctx: Context): Dispose {
  const clock = ctx.use(Clock)
  const ending = new AbortController()
  let running = Promise.resolve()
  let cancel: Dispose = () => {}
  const next = () => {
    cancel = clock.after(
      TICK_MS,
      () => {
        running = tick(ctx, AbortSignal.any([ending.signal, ctx.signal])).then(() => {
          if (!ending.signal.aborted) next()
        })
      },
      { background: true },
    )
  }
  next()
  return async () => {
    ending.abort()
    await cancel()
    await running
  }
}

/** Does not throw: the next one tries again. */
async function tick(ctx: Context, signal: AbortSignal): Promise<void> {
  const { auto_decompose, auto_decompose_per_tick } = ctx.config
  if (!auto_decompose || auto_decompose_per_tick === 0) return
  try {
    if ((await findDue(ctx, 1)).length === 0) return
    await using database = await ctx.use(SharedStore).open({ owner: ctx.name, migrations: [], scope: 'installation' })
    await using lease = await database.locks.take('auto', { ttlMs: LOCK_MS, holder: `${ctx.name} ${process.pid}` })
    if (lease) await decomposeDue(ctx, AbortSignal.any([signal, lease.signal]))
  } catch (error) {
    if (!signal.aborted) logFault(ctx.log, 'the tasks in triage were not looked at; they are tried again', error)
  }
}

/** At most as many as the settings say. */
export async function decomposeDue(ctx: Context, signal: AbortSignal): Promise<void> {
  for (const { id } of await findDue(ctx, ctx.config.auto_decompose_per_tick)) {
    signal.throwIfAborted()
    const { ok, reason, fanout, child_ids } = await decompose(ctx, id, { by: BY, signal })
    if (ok) ctx.log.info('a task was taken apart', { task: id, fanout, children: child_ids.length })
    else if (reason === NO_CLIENT) return
    else await ctx.use(Boards).record(id, FAILED, { by: BY, reason })
  }
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
