/** Changes of what a task says, which no transition is. */
import { SvcError } from 'svc/sdk'
import type { TaskChange, TaskChanges } from 'svc/sdk/kanban'
import { type MoveDeps, requireTask } from './move.ts'
import type { TaskRow } from './tables.ts'

const OF_DONE = ['result', 'summary', 'metadata'] as const

export async function changeTask(
  { tables }: MoveDeps,
  id: string,
  changes: TaskChanges,
  { by, reason }: TaskChange,
): Promise<TaskRow> {
  const task = await requireTask(tables, id)
  const fields = Object.keys(changes).filter((name) => changes[name as keyof TaskChanges] !== undefined)
  if (task.status === 'running' || task.status === 'archived')
    throw new SvcError('KANBAN_REFUSED', `edit is refused: ${id} is ${task.status}. Nothing was changed.`)
  const early = OF_DONE.filter((name) => changes[name] !== undefined)
  if (early.length > 0 && task.status !== 'done')
    throw new SvcError('KANBAN_REFUSED', `${early.join(', ')} can be changed once ${id} is done; it is ${task.status}.`)
  const late = fields.filter((name) => name === 'checks' || name === 'workspace')
  if (late.length > 0 && task.status === 'done')
    throw new SvcError('KANBAN_REFUSED', `${late.join(', ')} cannot be changed: ${id} is done.`)
  if (fields.length === 0) return task
  const after = await tables.saveTask(task, { ...toColumns(changes), updated_at: tables.now })
  tables.event({ board: task.board, taskId: id, runId: null, kind: 'edited', data: { by, reason, fields } })
  return after
}

/** Undefined: no assignee. */
export async function assignTask(
  { tables }: MoveDeps,
  id: string,
  assignee: string | undefined,
  { by, reason }: TaskChange,
): Promise<TaskRow> {
  const task = await requireTask(tables, id)
  if (task.status === 'running')
    throw new SvcError(
      'KANBAN_REFUSED',
      `assign is refused: ${id} is running. Take it back first: svc kanban reclaim ${id}`,
    )
  if (task.status === 'archived') throw new SvcError('KANBAN_REFUSED', `assign is refused: ${id} is archived.`)
  const name = assignee?.trim().toLowerCase() || null
  const after = await tables.saveTask(task, {
    ...{ assignee: name, failures: 0, last_error: null, updated_at: tables.now },
    ...(task.status === 'ready' && { not_before: null, paused_at: null }),
  })
  const data = { by, reason, assignee: name }
  tables.event({ board: task.board, taskId: id, runId: null, kind: 'assigned', data })
  return after
}

function toColumns(changes: TaskChanges): Partial<TaskRow> {
  const { workspace, skills, checks, metadata } = changes
  const given: Partial<Record<keyof TaskRow, unknown>> = {
    ...{ title: changes.title?.trim(), body: changes.body, priority: changes.priority, tenant: changes.tenant },
    ...{ model: changes.model, max_runtime_ms: changes.maxRuntimeMs, max_retries: changes.maxRetries },
    ...{ budget_usd: changes.budgetUsd, result: changes.result, summary: changes.summary },
    workspace: workspace && JSON.stringify(workspace),
    skills: skills && JSON.stringify(skills),
    // Evidence is by the index of a check.
    ...(checks && { checks: JSON.stringify(checks), evidence: '[]' }),
    metadata: metadata && JSON.stringify(metadata),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
