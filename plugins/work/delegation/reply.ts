/** What the model of the parent reads of a delegation. */
import type { ToolResult } from 'svc/sdk'
import { markUntrusted } from 'svc/sdk/safety'
import type { ChildResult } from './delegation.ts'
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

/** The message that brings the result of a unit into its conversation. It repeats the tasks: the model may not remember them. */
export function resultMessage({ unit, children, isStopped }: StoredUnit): string {
  const results = children.flatMap(({ result }) => result ?? [])
  const done = results.filter(({ status }) => status === 'completed').length
  const how = isStopped ? 'A person stopped it' : 'It has ended'
  const { results: told, total_duration_seconds } = describe(results)
  const tasks = told.map((result) => {
    const { goal, context, role } = unit.tasks[result.task_index] ?? { goal: '', role: 'leaf' }
    return { goal, ...(context !== undefined && { context }), role, ...result }
  })
  const json = JSON.stringify({ delegation_id: unit.id, results: tasks, total_duration_seconds })
  const isForeign = results.some(({ origin }) => origin !== undefined)
  const text = isForeign ? markUntrusted(json, ORIGIN) : json
  return `${resultMark(unit.id)} ${how}: ${done} of ${results.length} tasks are completed. svc sent this message; no person typed it.\n${text}`
}

function describe(results: readonly ChildResult[]) {
  const longest = Math.max(0, ...results.map(({ duration_seconds }) => duration_seconds))
  return { results: results.map(({ origin: _, ...result }) => result), total_duration_seconds: longest }
}
