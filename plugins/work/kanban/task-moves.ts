/** What people, workers and other tasks do with a task: complete, block, unblock, schedule, promote, take back, put away. */
import { SvcError } from 'svc/sdk'
import type { BlockKind, TaskChange, TaskCheck, TaskCompletion, TaskEvidence, TaskLease } from 'svc/sdk/kanban'
import { type MoveDeps, move, readParents, refuse, requireTask, tryMove, waitAgain } from './move.ts'
import { requireLease } from './run-moves.ts'
import type { TaskRow } from './tables.ts'

const MAX_SUMMARY = 400
/** The same kind of block this many times sends a task to triage. */
const BLOCK_LIMIT = 2

export interface Completing extends TaskCompletion {
  readonly by: string
  readonly lease?: TaskLease
  readonly evidence?: readonly TaskEvidence[]
  readonly isUnverified?: boolean
}

export async function complete(deps: MoveDeps, id: string, completion: Completing): Promise<TaskRow> {
  const task = await readFor(deps, id, completion.lease)
  if (task.status === 'done')
    throw new SvcError('KANBAN_REFUSED', `complete is refused: ${id} is done already. Nothing was changed.`)
  const { summary, result, metadata, evidence, by } = completion
  const isVerified = judge(task, completion)
  const line = (summary ?? result)?.split('\n')[0]?.slice(0, MAX_SUMMARY)
  return move(
    deps,
    task,
    'complete',
    {},
    {
      data: {
        by,
        summary: line,
        resultLength: result?.length ?? 0,
        isVerified,
      },
      runChanges: { summary: summary ?? line ?? null },
      changes: {
        ...{ summary: line ?? null, result: result ?? summary ?? null },
        metadata: metadata === undefined ? null : JSON.stringify(metadata),
        ...(evidence && { evidence: JSON.stringify(evidence) }),
        is_verified: isVerified === undefined ? null : Number(isVerified),
      },
    },
  )
}

/** Undefined where there is nothing to check, unless it is said that nothing was. Throws `KANBAN_CHECKS_OPEN`. */
function judge(task: TaskRow, { evidence = [], isUnverified }: Completing): boolean | undefined {
  const checks = JSON.parse(task.checks) as TaskCheck[]
  if (checks.length === 0) return isUnverified === true ? false : undefined
  const isVerified = checks.every((_, at) => evidence.some((one) => one.check === at && one.isMet))
  if (!isVerified && isUnverified !== true) throw explainOpen(task.id, checks, evidence)
  return isVerified
}

function explainOpen(id: string, checks: readonly TaskCheck[], evidence: readonly TaskEvidence[]): SvcError {
  const open = checks.flatMap((check, at) =>
    evidence.some((one) => one.check === at && one.isMet) ? [] : [check.type],
  )
  return new SvcError(
    'KANBAN_CHECKS_OPEN',
    `${id} has ${checks.length} checks, of which these are not shown to be met: ${open.join(', ')}. Nothing was changed.`,
  )
}

export interface Blocking {
  readonly by: string
  readonly reason: string
  readonly kind?: BlockKind
  readonly lease?: TaskLease
}

export async function block(deps: MoveDeps, id: string, { by, reason, kind, lease }: Blocking): Promise<TaskRow> {
  const task = await readFor(deps, id, lease)
  const recurrences = kind === undefined ? 0 : task.block_kind === kind ? task.block_recurrences + 1 : 1
  const isLooped = recurrences >= BLOCK_LIMIT
  const facts = { ...(await readParents(deps.tables, task)), dependency: kind === 'dependency', looped: isLooped }
  return move(deps, task, 'block', facts, {
    data: { by, reason, kind, recurrences },
    runChanges: { summary: reason },
    changes: { block_kind: kind ?? null, block_reason: reason, block_recurrences: recurrences },
  })
}

export async function unblock(deps: MoveDeps, id: string, { by, reason }: TaskChange): Promise<TaskRow> {
  const task = await requireTask(deps.tables, id)
  return move(deps, task, 'unblock', await readParents(deps.tables, task), { data: { by, reason } })
}

export async function schedule(
  deps: MoveDeps,
  id: string,
  { by, reason, at }: TaskChange & { readonly at?: number },
): Promise<TaskRow> {
  const task = await requireTask(deps.tables, id)
  return move(
    deps,
    task,
    'schedule',
    {},
    {
      data: { by, reason, at },
      changes: { not_before: at ?? null, paused_at: null, block_reason: reason ?? null },
    },
  )
}

export async function promote(
  deps: MoveDeps,
  id: string,
  { by, reason, force = false }: TaskChange & { readonly force?: boolean },
): Promise<TaskRow> {
  const task = await requireTask(deps.tables, id)
  const facts = { ...(await readParents(deps.tables, task)), force }
  return move(deps, task, 'promote', facts, {
    data: { by, reason, force },
    changes: force && facts.parentsOpen ? { ignores_parents: 1 } : {},
  })
}

export async function archive(deps: MoveDeps, id: string, { by, reason }: TaskChange): Promise<TaskRow> {
  const task = await requireTask(deps.tables, id)
  return move(deps, task, 'archive', {}, { data: { by, reason } })
}

export async function remove(deps: MoveDeps, id: string): Promise<void> {
  await move(deps, await requireTask(deps.tables, id), 'remove', {})
}

export async function reclaim(deps: MoveDeps, id: string, { by, reason }: TaskChange): Promise<TaskRow> {
  const task = await requireTask(deps.tables, id)
  return waitAgain(deps, await move(deps, task, 'reclaim', {}, { data: { by, reason, epoch: task.epoch } }))
}

/** Promotes what waits for nothing any more, and what is due. */
export async function recompute(deps: MoveDeps, board: string | undefined): Promise<string[]> {
  const { tables } = deps
  const ready: string[] = []
  for (const id of await tables.waiting(board)) {
    const task = await tables.task(id)
    if (!task) continue
    const due = task.status === 'scheduled' && task.not_before !== null && task.not_before <= tables.now
    const after = await tryMove(deps, task, 'recompute', { ...(await readParents(tables, task)), due })
    if (after?.status === 'ready') ready.push(id)
  }
  return ready
}

/** Of a worker, or without a lease of a person. */
async function readFor(deps: MoveDeps, id: string, lease: TaskLease | undefined): Promise<TaskRow> {
  if (lease === undefined) return requireTask(deps.tables, id)
  const task = await requireLease(deps, lease)
  if (lease.taskId !== id) throw refuse(deps, task, 'complete')
  return task
}
