/** The tool `todo`, as the model is told of it. */
import { defineTool, type Session, SvcError, type Tool } from 'svc/sdk'
import type { DecisionKind } from 'svc/sdk/safety'
import { type PlanChange, SessionPlan } from 'svc/sdk/sessions'
import { z } from 'zod'
import { todoView } from './view.ts'

/** Items of one plan. */
const MAX_ITEMS = 256
/** Characters of one item. */
const MAX_CHARS = 4000

const input = z.object({
  todos: z
    .array(
      z.object({
        id: z.string().min(1).max(64),
        content: z.string().min(1).max(MAX_CHARS).optional(),
        status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']).optional(),
      }),
    )
    .max(MAX_ITEMS)
    .optional()
    .describe('leave out to read'),
  merge: z.boolean().default(false).describe('update by id, keep the rest; else replace all'),
})
export type TodoInput = z.infer<typeof input>

type Judge = (change: PlanChange) => Promise<{ readonly decision: DecisionKind; readonly reason?: string } | undefined>

/** Makes the tool; `find` opens a session, `judge` has the verdict of the plugins on a change. */
export function todoTool(find: (sessionId: string) => Promise<Session>, judge: Judge): Tool {
  return defineTool<TodoInput>({
    name: 'todo',
    knownAs: [{ name: 'TodoWrite' }],
    description: 'Plan of this session, for work of several steps. Keep one item in_progress; update as you go.',
    input,
    effect: 'idempotent',
    toolset: 'todo',
    reach: 'nothing',
    scope: { core: true, events: true, planning: true, latest: true },
    view: todoView,
    run: async ({ todos, merge }, { sessionId, turnId }) => {
      const { applyTodos, showTodos } = await import('./plan.ts')
      const session = await find(sessionId)
      const old = session.state(SessionPlan) ?? []
      if (!todos) return showTodos(old)
      const plan = applyTodos(merge ? old : [], todos, MAX_ITEMS)
      const verdict = await judge({ sessionId, turnId, before: old, after: plan })
      if (verdict?.decision === 'deny' || verdict?.decision === 'ask')
        throw new SvcError('TODO_DENIED', `The plan was not changed: ${verdict.reason ?? 'a plugin denied it'}.`)
      session.setState(SessionPlan, plan)
      return showTodos(plan)
    },
  })
}
