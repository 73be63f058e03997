/** The tool `todo`, as the model is told of it. */
import { defineTool, type Tool } from 'svc/sdk'
import { z } from 'zod'
import type { TodoStore } from './store.ts'

/** Items of one plan. */
const MOST_ITEMS = 256
/** Characters of one item. */
const MOST_CHARS = 4000

const input = z.object({
  todos: z
    .array(
      z.object({
        id: z.string().min(1).max(64),
        content: z.string().min(1).max(MOST_CHARS).optional(),
        status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']).optional(),
      }),
    )
    .max(MOST_ITEMS)
    .optional()
    .describe('leave out to read'),
  merge: z.boolean().default(false).describe('update by id, keep the rest; else replace all'),
})
export type TodoInput = z.infer<typeof input>

/** Makes the tool. */
export function todoTool(store: () => Promise<TodoStore>): Tool {
  return defineTool<TodoInput>({
    name: 'todo',
    description: 'Plan of this session, for work of several steps. Keep one item in_progress; update as you go.',
    input,
    effect: 'idempotent',
    toolset: 'todo',
    reach: 'nothing',
    run: async ({ todos, merge }, { sessionId }) => {
      const { applyTodos, showTodos } = await import('./plan.ts')
      const opened = await store()
      if (!todos) return showTodos(opened.read(sessionId))
      return showTodos(opened.change(sessionId, (old) => applyTodos(merge ? old : [], todos, MOST_ITEMS)))
    },
  })
}
