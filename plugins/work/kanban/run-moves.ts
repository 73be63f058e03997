/** What dispatchers and workers do with a task: claim, start, prolong, hand in, end. */
import { SvcError } from 'svc/sdk'
import {
  type ClaimRefusal,
  DEFAULT_FAILURE_LIMIT,
  type RunEnd,
  type TaskClaimOptions,
  type TaskCompletion,
  type TaskLease,
  type WorkerIdentity,
} from 'svc/sdk/kanban'
import { type MoveDeps, move, readParents, requireTask, tryMove, waitAgain } from './move.ts'
import type { RunRow, TaskRow } from './tables.ts'

const LEASE_MS = 900_000
const MIN_LEASE_MS = 1000
const RATE_LIMIT_PAUSE_MS = 300_000

/** A claim that succeeded, or why it did not. */
export type Claimed = { readonly task: TaskRow; readonly run: RunRow } | { readonly refused: ClaimRefusal }

export async function claim(
  deps: MoveDeps,
  id: string,
  { holder, ttlMs = LEASE_MS }: Pick<TaskClaimOptions, 'holder' | 'ttlMs'>,
): Promise<Claimed> {
  const { tables } = deps
  const before = await requireTask(tables, id)
  const isSpent = before.budget_usd !== null && before.spent_usd >= before.budget_usd
  if (before.status === 'ready' && before.assignee === null) return { refused: 'unassigned' }
  if (before.status === 'ready' && isPaused(before, tables.now)) return { refused: 'pause' }
  const parents = await readParents(tables, before)
  const facts = { ...parents, spent: isSpent }
  const leaseMs = Math.max(ttlMs, MIN_LEASE_MS)
  if (before.status === 'ready' && parents.parentsOpen) return { refused: 'parents' }
  const after = await tryMove(deps, before, 'claim', facts, {
    data: isSpent ? { reason: 'budget' } : { holder, epoch: before.epoch + 1, assignee: before.assignee },
    changes: isSpent
      ? { block_kind: 'capability', block_reason: `Its budget of ${before.budget_usd} USD is spent.` }
      : { holder, nonce: tables.hex(16), lease_ms: leaseMs, expires_at: tables.now + leaseMs },
  })
  if (!after) return { refused: 'status' }
  if (after.status === 'running') return { task: after, run: await requireRun(deps, after) }
  return { refused: 'budget' }
}

/** Not claimed before its moment. A clock that is before the moment when that was set was set back. */
export function isPaused(task: Pick<TaskRow, 'not_before' | 'paused_at'>, now: number): boolean {
  return task.not_before !== null && task.not_before > now && (task.paused_at ?? 0) <= now
}

export async function started(deps: MoveDeps, lease: TaskLease, worker: WorkerIdentity): Promise<RunRow> {
  const task = await requireLease(deps, lease)
  const text = JSON.stringify({ machine: worker.machine, pid: worker.pid, startTime: worker.startTime })
  if (task.worker === text) return requireRun(deps, task)
  const { tables } = deps
  const after = await move(
    deps,
    task,
    'start',
    {},
    {
      data: { pid: worker.pid, machine: worker.machine },
      changes: { worker: text, heartbeat_at: tables.now },
      runChanges: { worker: text, heartbeat_at: tables.now },
    },
  )
  return requireRun(deps, after)
}

export async function heartbeat(
  deps: MoveDeps,
  lease: TaskLease,
  { note, ttlMs }: { readonly note?: string; readonly ttlMs?: number },
): Promise<RunRow> {
  const task = await requireLease(deps, lease)
  const { tables } = deps
  const leaseMs = Math.max(ttlMs ?? task.lease_ms ?? LEASE_MS, MIN_LEASE_MS)
  const changes = { heartbeat_at: tables.now, expires_at: tables.now + leaseMs, lease_ms: leaseMs }
  const step = { changes, runChanges: changes, data: note === undefined ? {} : { note } }
  return requireRun(deps, await move(deps, task, 'heartbeat', {}, step))
}

export async function submit(deps: MoveDeps, lease: TaskLease, completion: TaskCompletion): Promise<RunRow> {
  const task = await requireLease(deps, lease)
  const text = JSON.stringify(completion)
  const after = await move(
    deps,
    task,
    'submit',
    {},
    {
      data: { summary: completion.summary?.split('\n')[0]?.slice(0, 400) },
      runChanges: { submission: text },
    },
  )
  return requireRun(deps, after)
}

export async function endRun(
  deps: MoveDeps,
  { taskId, epoch }: Pick<TaskLease, 'taskId' | 'epoch'>,
  end: RunEnd,
): Promise<TaskRow> {
  const task = await requireTask(deps.tables, taskId)
  if (task.status !== 'running' || task.epoch !== epoch) throw lost(task, epoch)
  const limit = task.max_retries ?? end.failureLimit ?? DEFAULT_FAILURE_LIMIT
  const isLast = end.isPermanent === true || task.failures + 1 >= limit
  const error = end.error ?? end.outcome
  const isBlocking = end.outcome === 'protocol_violation' || (end.outcome !== 'rate_limited' && isLast)
  const pauseMs = end.pauseMs ?? (end.outcome === 'rate_limited' ? RATE_LIMIT_PAUSE_MS : undefined)
  const after = await move(
    deps,
    task,
    end.outcome,
    { limit: isLast },
    {
      data: { ...end.details, error: error.slice(0, 500), epoch },
      error,
      ...(pauseMs !== undefined && { pauseMs }),
      changes: {
        ...(isBlocking && { block_kind: null, block_reason: error.slice(0, 500) }),
        ...(end.evidence && { evidence: JSON.stringify(end.evidence) }),
      },
    },
  )
  return waitAgain(deps, after)
}

/** Throws `KANBAN_LEASE_LOST`. */
export async function requireLease({ tables }: MoveDeps, { taskId, epoch, nonce }: TaskLease): Promise<TaskRow> {
  const task = await requireTask(tables, taskId)
  if (task.status !== 'running' || task.epoch !== epoch || task.nonce !== nonce) throw lost(task, epoch)
  return task
}

export function lost(task: TaskRow, epoch: number): SvcError {
  const now = task.status === 'running' ? `claim ${task.epoch} has it` : `it is ${task.status}`
  return new SvcError(
    'KANBAN_LEASE_LOST',
    `${task.id} is no longer with claim ${epoch}: ${now}. Stop working at it; nothing was changed.`,
  )
}

async function requireRun({ tables }: MoveDeps, task: TaskRow): Promise<RunRow> {
  const run = task.run_id === null ? undefined : await tables.run(task.run_id)
  if (!run) throw lost(task, task.epoch)
  return run
}
