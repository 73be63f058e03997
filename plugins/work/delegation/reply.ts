/** What the model of the parent reads of a delegation. */
import type { ToolResult } from 'svc/sdk'
import { markUntrusted } from 'svc/sdk/safety'
import type { ChildResult, Task } from './delegation.ts'
import type { Delegated } from './delegations.ts'
import type { StoredUnit } from './units.ts'

const ORIGIN = 'result of a subagent'

/** The result of the tool. */
export function toolReply(delegated: Delegated): ToolResult {
  const { unit, notes } = delegated
  const note = notes.join(' ')
  if (delegated.kind === 'dispatched') {
    const said = [
      'The result comes as a message of its own when all have ended. Do not wait for it or ask for it.',
      note,
    ]
    const data = {
      status: 'dispatched',
      mode: 'background',
      count: unit.tasks.length,
      delegation_id: unit.id,
      goals: unit.tasks.map(({ goal }) => goal),
      note: said.filter(Boolean).join(' '),
    }
    return { text: JSON.stringify(data), data }
  }
  const { results } = delegated
  const data = { ...describe(results), ...(note !== '' && { note }) }
  const isForeign = results.some(({ origin }) => origin !== undefined)
  const hasFailed = results.length > 0 && results.every(({ status }) => status !== 'completed')
  return { text: JSON.stringify(data), data, ...(isForeign && { origin: ORIGIN }), ...(hasFailed && { failed: true }) }
}

/** How a message with the result of a unit begins. */
export function resultMark(id: string): string {
  return `[Delegation ${id}]`
}

/**
 * The message that brings the result of a unit into its conversation, for its model and its person. It repeats the tasks: the model
 * may not remember them.
 */
export function resultMessage({ unit, children, isStopped }: StoredUnit): string {
  const results = children.flatMap(({ result }) => result ?? [])
  const done = results.filter(({ status }) => status === 'completed').length
  const how = isStopped ? 'A person stopped it' : 'It has ended'
  const tasks = results.map((result) => formatTask(unit.tasks[result.task_index], result)).join('\n\n')
  const origin = results.find((result) => result.origin !== undefined)
  const text = origin ? markUntrusted(tasks, ORIGIN) : tasks
  return `${resultMark(unit.id)} ${how}: ${done} of ${results.length} tasks are completed. svc sent this message; no person typed it.\n\n${text}`
}

/** The fields of a result under their names, then the answer. */
function formatTask(task: Task | undefined, result: ChildResult): string {
  const { tokens, tool_trace, files_written = [], stale_paths = [] } = result
  const facts = [
    `status ${result.status}`,
    `exit_reason ${result.exit_reason}`,
    `model ${result.model || 'none'}`,
    `tokens.input ${tokens.input}`,
    `tokens.output ${tokens.output}`,
    `api_calls ${result.api_calls}`,
    `${result.duration_seconds} s`,
    ...(result.session_id === '' ? [] : [`session ${result.session_id}`]),
  ]
  const calls = tool_trace.map(
    ({ tool, status, args_bytes, result_bytes }) => `${tool} ${status} ${args_bytes}/${result_bytes} bytes`,
  )
  return [
    `**${result.task_index + 1}. ${task?.goal ?? ''}** (${task?.role ?? 'leaf'})`,
    ...(task?.context === undefined ? [] : [`context: ${task.context}`]),
    facts.join(' · '),
    ...(calls.length > 0 ? [`tools: ${calls.join(', ')}`] : []),
    ...(files_written.length > 0 ? [`files written: ${files_written.join(', ')}`] : []),
    ...(stale_paths.length > 0 ? [staleNote(stale_paths)] : []),
    ...(result.error === undefined ? [] : [`error: ${result.error}`]),
    ...(result.summary_full_path === undefined ? [] : [`the whole answer: ${result.summary_full_path}`]),
    '',
    result.summary ?? '(no answer)',
  ].join('\n')
}

/** What the model is not told: where it is from is said by marks, and what was read is for people. */
function describe(results: readonly ChildResult[]) {
  const longest = Math.max(0, ...results.map(({ duration_seconds }) => duration_seconds))
  return {
    results: results.map(({ origin: _, files_read: __, ...result }) => withNote(result)),
    total_duration_seconds: longest,
  }
}

/** The note stands in the answer; without one the field is there. */
function withNote(result: Omit<ChildResult, 'origin' | 'files_read'>): object {
  const { stale_paths, summary, ...rest } = result
  if (stale_paths === undefined) return result
  return summary === null ? result : { ...rest, summary: `${summary}\n\n[${staleNote(stale_paths)}]` }
}

function staleNote(paths: readonly string[]): string {
  return `changed since you read them, so read them again before you use them: ${paths.join(', ')}`
}
