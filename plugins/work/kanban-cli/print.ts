/** How tasks, runs and events look. */
import type { CliContext } from 'svc/sdk'
import type { TaskCard, TaskEvent, TaskRun } from 'svc/sdk/kanban'
import { formatMoment, paint, safeLine, type TextStyle } from 'svc/sdk/kit/terminal'

const STYLES: Readonly<Partial<Record<TaskCard['status'], TextStyle>>> = {
  running: 'yellow',
  blocked: 'red',
  done: 'green',
  archived: 'dim',
}

/** Cells of a task in a list. */
export function taskCells(task: TaskCard): string[] {
  return [task.id, task.status, task.assignee ?? '-', String(task.priority), `${task.title}${remark(task)}`]
}

function remark({ status, blockReason, failures, isVerified }: TaskCard): string {
  if (status === 'blocked' && blockReason !== undefined) return `  (${blockReason})`
  if (status === 'done' && isVerified === false) return '  (unverified)'
  return failures > 0 && status !== 'done' ? `  (failed ${failures}x)` : ''
}

/** A task after it was changed. */
export function taskLine(io: CliContext, task: TaskCard): string {
  const { id, status, assignee, title } = task
  return `${id}  ${paint(io, STYLES[status], status)}  ${safeLine(assignee ?? '-')}  ${safeLine(title)}\n`
}

export function eventLine({ id, at, taskId, kind, data }: TaskEvent): string {
  const facts = Object.entries(data).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return `${String(id).padStart(6)}  ${formatMoment(at, 'seconds')}  ${taskId}  ${kind}  ${safeLine(facts.join(' ')).slice(0, 200)}`.trimEnd()
}

export function runCells({ id, taskId, assignee, startedAt, endedAt, outcome, cost, error }: TaskRun): string[] {
  const seconds = endedAt === undefined ? '-' : `${Math.round((endedAt - startedAt) / 1000)}s`
  return [
    ...[String(id), taskId, outcome ?? 'open', assignee ?? '-', formatMoment(startedAt), seconds],
    ...[`$${cost.usd.toFixed(4)}${cost.unpricedCalls > 0 ? '+?' : ''}`, error ?? ''],
  ]
}
