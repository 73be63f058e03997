/** What the model wrote into a call, read leniently: models send lists as JSON text and roles that do not exist. */
import { SvcError } from 'svc/sdk'
import { z } from 'zod'
import type { Role, Task } from './delegation.ts'

const MAX_TASKS = 100

const taskFields = { goal: z.string().optional(), context: z.string().optional(), role: z.string().optional() }

export const input = z.object({
  ...taskFields,
  tasks: z.union([z.array(z.object(taskFields)), z.string()]).optional(),
})

export type Input = z.infer<typeof input>

export interface Limits {
  readonly maxTasks: number
  /** Whether the subagents of this call may begin others. */
  readonly mayOrchestrate: boolean
}

/** The tasks, and what was read differently from how it was written. */
export interface ReadRequest {
  readonly tasks: readonly Task[]
  readonly notes: readonly string[]
}

/** Throws `DELEGATION_INPUT` and `DELEGATION_TOO_MANY`. */
export function readRequest(given: Input, { maxTasks, mayOrchestrate }: Limits): ReadRequest {
  const list = given.tasks === undefined ? undefined : readList(given.tasks)
  const raw: readonly unknown[] = list?.length ? list : [given]
  if (raw.length > Math.min(maxTasks, MAX_TASKS))
    throw new SvcError(
      'DELEGATION_TOO_MANY',
      `These are ${raw.length} tasks, and ${maxTasks} at a time is the most (delegation.max_concurrent_children). Delegate fewer at once.`,
    )
  const notes: string[] = []
  const tasks = raw.map((each, index) => {
    const fields = readTask(each, index, raw.length)
    const role = readRole(fields.role ?? given.role, mayOrchestrate, notes)
    return { goal: fields.goal, ...(fields.context && { context: fields.context }), role }
  })
  return { tasks, notes: [...new Set(notes)] }
}

function readList(tasks: NonNullable<Input['tasks']>): readonly unknown[] {
  if (typeof tasks !== 'string') return tasks
  try {
    const parsed: unknown = JSON.parse(tasks)
    if (Array.isArray(parsed)) return parsed
  } catch {
    throw new SvcError('DELEGATION_INPUT', 'tasks is a text that is not JSON. Give a list of { goal, context, role }.')
  }
  throw new SvcError('DELEGATION_INPUT', 'tasks is not a list. Give a list of { goal, context, role }.')
}

function readTask(each: unknown, index: number, count: number) {
  const which = count > 1 ? `Task ${index} ` : 'The task '
  if (typeof each !== 'object' || each === null || Array.isArray(each))
    throw new SvcError('DELEGATION_INPUT', `${which}is not an object. Give { goal, context, role }.`)
  const { goal, context, role } = each as Record<string, unknown>
  if (typeof goal !== 'string' || goal.trim() === '')
    throw new SvcError('DELEGATION_INPUT', `${which}has no goal. Say what is to be done.`)
  return {
    goal: goal.trim(),
    context: typeof context === 'string' ? context.trim() : undefined,
    role: typeof role === 'string' ? role : undefined,
  }
}

function readRole(role: string | undefined, mayOrchestrate: boolean, notes: string[]): Role {
  if (role === undefined || role === 'leaf') return 'leaf'
  if (role !== 'orchestrator') {
    notes.push(`There is no role "${role.slice(0, 40)}"; it was taken as leaf.`)
    return 'leaf'
  }
  if (mayOrchestrate) return 'orchestrator'
  notes.push('Subagents of this level begin no others, so orchestrator was taken as leaf.')
  return 'leaf'
}
