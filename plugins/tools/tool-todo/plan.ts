/** A plan: its items, how they change and how they are shown. Pure. */
import { SvcError, type ToolResult } from 'svc/sdk'
import type { PlanStatus, PlanStep } from 'svc/sdk/sessions'
import type { TodoInput } from './tools.ts'

const MARKS: Readonly<Record<PlanStatus, string>> = { pending: ' ', in_progress: '>', completed: 'x', cancelled: '-' }

/** The plan with the changes: known ids are updated in their place, new ones appended. Throws `TODO_...`. */
export function applyTodos(
  old: readonly PlanStep[],
  changes: NonNullable<TodoInput['todos']>,
  mostItems: number,
): readonly PlanStep[] {
  const plan = new Map(old.map((item) => [item.id, item]))
  for (const { id, content, status } of changes) {
    const before = plan.get(id)
    const text = content?.trim() || before?.content
    if (!text) {
      const known = [...plan.keys()].join(', ') || 'none'
      throw new SvcError('TODO_NO_CONTENT', `The item "${id}" is new and needs content. Ids in the plan: ${known}.`)
    }
    plan.set(id, { id, content: text, status: status ?? before?.status ?? 'pending' })
  }
  if (plan.size > mostItems)
    throw new SvcError('TODO_TOO_MANY', `A plan holds ${mostItems} items; this would be ${plan.size}. Drop some.`)
  return [...plan.values()]
}

/** A line for each item; `[>]` is under way. */
export function showTodos(plan: readonly PlanStep[]): ToolResult {
  const lines = plan.map(({ id, content, status }) => `[${MARKS[status]}] ${id}: ${content}`)
  const open = plan.filter(({ status }) => status === 'pending' || status === 'in_progress').length
  const head = plan.length ? `${open} of ${plan.length} open` : 'The plan is empty.'
  return { text: [head, ...lines].join('\n'), data: { todos: plan, open } }
}
