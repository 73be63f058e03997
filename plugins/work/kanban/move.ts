/** One step of a task by the table of transitions: what changes with a row, in the task, its run and its events. */
import { SvcError } from 'svc/sdk'
import type { TaskStatus } from 'svc/sdk/kanban'
import type { MoveTables, RunRow, TaskRow } from './tables.ts'
import { type Facts, findTransition, listSources, listVerbs, type Transition, type Verb } from './transitions.ts'

const MAX_ERROR = 500

/** What a step works with. */
export interface MoveDeps {
  readonly tables: MoveTables
  readonly transitions: readonly Transition[]
}

/** What a step brings along, besides what the row says. */
export interface Step {
  /** Into the events. */
  readonly data?: Readonly<Record<string, unknown>>
  readonly changes?: Partial<TaskRow>
  readonly runChanges?: Partial<RunRow>
  /** Of a failure. */
  readonly error?: string
  readonly pauseMs?: number
}

/** A task that has to exist. Throws `KANBAN_TASK_UNKNOWN`. */
export async function requireTask(tables: MoveTables, id: string): Promise<TaskRow> {
  const task = await tables.task(id)
  if (task) return task
  throw taskUnknown(id)
}

export function taskUnknown(id: string): SvcError {
  return new SvcError(
    'KANBAN_TASK_UNKNOWN',
    `There is no task ${id.slice(0, 80)}. \`svc kanban list --archived\` shows all of a board.`,
  )
}

/** Facts about the parents of a task. */
export async function readParents(tables: MoveTables, task: TaskRow): Promise<{ parentsOpen: boolean }> {
  if (task.ignores_parents === 1) return { parentsOpen: false }
  return { parentsOpen: (await tables.openParents(task.id)).length > 0 }
}

/** Throws `KANBAN_REFUSED` where no row applies. */
export async function move(deps: MoveDeps, task: TaskRow, verb: Verb, facts: Facts, step: Step = {}): Promise<TaskRow> {
  const row = findTransition(deps.transitions, verb, task.status as TaskStatus, facts)
  if (!row) throw refuse(deps, task, verb)
  return follow(deps, task, row, step)
}

/** As `move`; undefined where no row applies. */
export async function tryMove(
  deps: MoveDeps,
  task: TaskRow,
  verb: Verb,
  facts: Facts,
  step: Step = {},
): Promise<TaskRow | undefined> {
  const row = findTransition(deps.transitions, verb, task.status as TaskStatus, facts)
  return row && follow(deps, task, row, step)
}

/** A task that became ready again waits where it got another parent meanwhile. */
export async function waitAgain(deps: MoveDeps, task: TaskRow): Promise<TaskRow> {
  if (task.status !== 'ready') return task
  return (await tryMove(deps, task, 'wait', await readParents(deps.tables, task))) ?? task
}

export function refuse({ transitions }: Pick<MoveDeps, 'transitions'>, task: TaskRow, verb: Verb): SvcError {
  const sources = listSources(transitions, verb)
  const isPossible = sources.includes(task.status as TaskStatus)
  const reason = isPossible ? 'what it waits for is not done' : `that takes ${sources.join(', ') || 'no task'}`
  return new SvcError(
    'KANBAN_REFUSED',
    `${verb} is refused: ${task.id} is ${task.status}, and ${reason}. It allows ${listVerbs(transitions, task.status as TaskStatus).join(', ') || 'nothing'}.`,
  )
}

async function follow(deps: MoveDeps, task: TaskRow, row: Transition, step: Step): Promise<TaskRow> {
  const { tables } = deps
  const run = await changeRun(tables, task, row, step)
  if (row.to === undefined) {
    await tables.deleteTask(task.id)
    return task
  }
  const changes = {
    ...describeChange(task, row, step, tables.now),
    ...(run && row.run === 'open' && { run_id: run.id }),
  }
  const after = await tables.saveTask(task, changes)
  for (const kind of row.events)
    tables.event({
      board: task.board,
      taskId: task.id,
      runId: run?.id ?? task.run_id,
      kind,
      data: kind === 'gave_up' ? { ...step.data, failures: after.failures } : (step.data ?? {}),
    })
  if (row.to !== row.from && isFinal(row.to)) await promoteChildren(deps, task.id)
  return after
}

export function isFinal(status: string): boolean {
  return status === 'done' || status === 'archived'
}

/** Children that waited for this task only become ready. */
export async function promoteChildren(deps: MoveDeps, parent: string): Promise<string[]> {
  const promoted: string[] = []
  for (const id of await deps.tables.children(parent)) {
    const child = await deps.tables.task(id)
    if (child?.status !== 'todo') continue
    if (await tryMove(deps, child, 'recompute', await readParents(deps.tables, child))) promoted.push(id)
  }
  return promoted
}

async function changeRun(tables: MoveTables, task: TaskRow, row: Transition, step: Step): Promise<RunRow | undefined> {
  const { now } = tables
  if (row.run === 'open') {
    const { expires_at, lease_ms, holder } = step.changes ?? {}
    return tables.insertRun({
      ...{ board: task.board, task_id: task.id, epoch: task.epoch + 1, assignee: task.assignee },
      ...{ holder: holder ?? '', worker: null, started_at: now, ended_at: null, expires_at: expires_at ?? now },
      ...{ lease_ms: lease_ms ?? 0, heartbeat_at: null, max_runtime_ms: task.max_runtime_ms, outcome: null },
      ...{ summary: null, error: null, submission: null, usd: 0, unpriced_calls: 0, calls: 0 },
      ...{ input_tokens: 0, output_tokens: 0, model: task.model },
    })
  }
  if (task.run_id === null) return undefined
  const isOver = row.run !== undefined && row.from === 'running'
  const changes: Partial<RunRow> = {
    ...step.runChanges,
    ...(isOver && { ended_at: now, outcome: row.run as string }),
    ...(isOver && step.error !== undefined && { error: step.error.slice(0, MAX_ERROR) }),
  }
  return Object.keys(changes).length === 0 ? undefined : tables.saveRun(task.run_id, changes)
}

/** The columns that change with a row: the same for the database and for the explorer. */
function describeChange(task: TaskRow, row: Transition, step: Step, now: number): Partial<TaskRow> {
  const status = row.to ?? task.status
  return {
    status,
    updated_at: now,
    ...(row.from !== status && status === 'ready' && { ready_at: now }),
    ...(row.run === 'open' && {
      epoch: task.epoch + 1,
      started_at: task.started_at ?? now,
      heartbeat_at: null,
      worker: null,
      not_before: null,
      paused_at: null,
    }),
    ...(row.from === 'running' && status !== 'running' && NO_LEASE),
    ...(row.failures === 'count' && {
      failures: task.failures + 1,
      last_error: (step.error ?? row.verb).slice(0, MAX_ERROR),
    }),
    ...(row.failures === 'reset' && { failures: 0, last_error: null, not_before: null, paused_at: null }),
    ...(row.pauses === true &&
      status === 'ready' &&
      step.pauseMs !== undefined &&
      step.pauseMs > 0 && { not_before: now + step.pauseMs, paused_at: now }),
    ...(status === 'done' && { completed_at: now }),
    ...(isFinal(status) && { not_before: null, paused_at: null }),
    ...step.changes,
  }
}

const NO_LEASE: Partial<TaskRow> = {
  nonce: null,
  run_id: null,
  holder: null,
  expires_at: null,
  lease_ms: null,
  heartbeat_at: null,
  worker: null,
}
