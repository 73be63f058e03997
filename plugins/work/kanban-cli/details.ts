/** A task with all that belongs to it, as text. */
import type { Task, TaskCard, TaskCheck, TaskDetails, TaskEvidence } from 'svc/sdk/kanban'
import { formatColumns, formatMoment, safeBlock, safeLine } from 'svc/sdk/kit/terminal'
import { eventLine, runCells } from './print.ts'

const EVENTS = 20

/** Parts to be printed one after the other. */
export function describeTask({ task, parents, children, comments, events, runs, attachments }: TaskDetails): string[] {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ...describeState(task),
    ['Waits for', describeLinks(parents)],
    ['Before', describeLinks(children)],
    ['Checks', task.checks.map((check, at) => describeCheck(check, findEvidence(task, at))).join('; ')],
    ['Verified', describeVerified(task)],
    ['Files', attachments.map(({ id, name, size }) => `${id}: ${name} (${size} bytes)`).join(', ')],
    ['Summary', task.summary],
  ]
  const shown = rows.flatMap(([name, text]) => (text === undefined || text === '' ? [] : [[name, text]]))
  return [
    `${safeLine(task.title)}  ${task.id}\n\n`,
    ...formatColumns(shown).map((line) => `${line}\n`),
    task.body === '' ? '' : `\n${safeBlock(task.body)}\n`,
    task.result === undefined ? '' : `\nResult\n${safeBlock(task.result)}\n`,
    ...comments.map(({ author, at, body }) => `\n${safeLine(author)}, ${formatMoment(at)}\n${safeBlock(body)}\n`),
    ...(runs.length === 0 ? [] : ['\n', ...formatColumns(runs.map(runCells)).map((line) => `${line}\n`)]),
    '\n',
    ...events.slice(-EVENTS).map((event) => `${eventLine(event)}\n`),
  ]
}

function describeState(task: Task): (readonly [string, string | undefined])[] {
  const { hold, notBefore, failures, blockReason, budgetUsd } = task
  return [
    ['Board', task.board],
    ['Status', `${task.status}${blockReason === undefined ? '' : `: ${blockReason}`}`],
    ['Assignee', task.assignee],
    ['Tenant', task.tenant],
    ['Priority', String(task.priority)],
    ['Created', `${formatMoment(task.createdAt)} by ${task.createdBy}`],
    ['Not before', notBefore === undefined ? undefined : formatMoment(notBefore)],
    ['Held by', hold && `${hold.holder}, until ${formatMoment(hold.expiresAt, 'seconds')}`],
    ['Failures', failures === 0 ? undefined : `${failures}: ${task.lastError ?? ''}`],
    ['Cost', `$${task.spentUsd.toFixed(4)}${budgetUsd === undefined ? '' : ` of $${budgetUsd}`}`],
  ]
}

function describeLinks(tasks: readonly TaskCard[]): string {
  return tasks.map(({ id, status }) => `${id} (${status})`).join(', ')
}

function findEvidence({ evidence }: Task, at: number): TaskEvidence | undefined {
  return evidence.find(({ check }) => check === at)
}

function describeCheck({ type, ...what }: TaskCheck, evidence: TaskEvidence | undefined): string {
  const result = evidence ? ` (${evidence.isMet ? 'met' : `not met: ${evidence.detail}`})` : ''
  return `${type} ${String(Object.values(what)[0])}${result}`
}

function describeVerified({ isVerified }: Task): string | undefined {
  if (isVerified === undefined) return undefined
  return isVerified ? 'yes' : 'no, it was completed without evidence'
}
