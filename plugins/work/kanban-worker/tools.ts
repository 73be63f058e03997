/** The tools of a worker about its own task. */
import { defineTool, SvcError, type Tool, type ToolCallView } from 'svc/sdk'
import { BLOCK_KINDS } from 'svc/sdk/kanban'
import { formatTitle, textIn } from 'svc/sdk/kit/views'
import { z } from 'zod'
import { keepArtifacts } from './artifacts.ts'
import type { WorkerClaim } from './claim.ts'
import { getAuthor, type Reach, requireNear } from './neighbours.ts'
import { taskText } from './task-text.ts'

export interface WorkerToolDeps extends Reach {
  /** Replaces secrets in a text. */
  readonly mask: (text: string) => string
  /** Why the tools cannot be used in this process; undefined when they can. */
  readonly missing: () => string | undefined
}

const text = (max: number) => z.string().trim().min(1).max(max)
export const taskId = z.string().regex(/^t_[0-9a-f]{8,}$/, 'the id of a task: t_ and hexadecimal digits')
/** What all of them declare. */
export const common = { toolset: 'kanban', reach: 'nothing', scope: { core: true } } as const

/** Shown with these fields of the input. */
export function titled(...fields: readonly string[]): { readonly view: ToolCallView } {
  return { view: { title: ({ input }) => formatTitle(...fields.map((field) => textIn(input, field))) } }
}

export function ownTools(deps: WorkerToolDeps): Tool[] {
  const shared = { ...common, missing: deps.missing }
  return [
    defineTool({
      ...shared,
      ...titled('task_id'),
      name: 'kanban_show',
      description: 'Your kanban task, or one next to it: body, results, attempts, comments.',
      input: z.object({ task_id: taskId.optional() }),
      effect: 'pure',
      run: async ({ task_id }) => taskText(await requireNear(deps, task_id ?? deps.claim().task.id)),
    }),
    defineTool({
      ...shared,
      ...titled('summary'),
      name: 'kanban_complete',
      description: 'Your task is done: says what was done. Its checks decide, after you end.',
      input: z.object({
        summary: text(8000).describe('what was done, and how you know that it works'),
        result: text(60_000).optional().describe('the result itself, where it is a text'),
        metadata: z.record(z.string(), z.unknown()).optional(),
        created_tasks: z.array(taskId).max(100).optional().describe('tasks that you created for it'),
        artifacts: z.array(text(4096)).max(20).optional().describe('files of the workspace to keep with the task'),
      }),
      effect: 'idempotent',
      run: (input, { cwd }) => complete(deps, input, cwd),
    }),
    defineTool({
      ...shared,
      ...titled('kind', 'reason'),
      name: 'kanban_block',
      description:
        'Your task cannot be finished now. Kinds: dependency (other tasks first), needs_input, capability, transient.',
      input: z.object({ reason: text(4000), kind: z.enum(BLOCK_KINDS).optional() }),
      effect: 'idempotent',
      run: async ({ reason, kind }) => {
        const claim = requireOwn(deps)
        const { lease, task } = claim
        const block = { by: getAuthor(task), reason: deps.mask(reason), lease, ...(kind && { kind }) }
        const after = await give(claim, 'blocked', () => deps.boards().block(task.id, block))
        return `${task.id} is ${after.status}. End your turn.`
      },
    }),
    defineTool({
      ...shared,
      ...titled('note'),
      name: 'kanban_heartbeat',
      description: 'Says how far the work is. The claim is kept without it.',
      input: z.object({ note: text(1000) }),
      effect: 'idempotent',
      run: async ({ note }) => {
        await requireOwn(deps).heartbeat(deps.mask(note))
        return 'Noted.'
      },
    }),
    defineTool({
      ...shared,
      ...titled('task_id', 'body'),
      name: 'kanban_comment',
      description: 'Writes a comment at your task or one next to it: for people and for its worker.',
      input: z.object({ task_id: taskId.optional(), body: text(20_000) }),
      effect: 'once',
      run: async ({ task_id, body }) => {
        const { task } = await requireNear(deps, task_id ?? deps.claim().task.id)
        const author = getAuthor(deps.claim().task)
        await deps.boards().comment(task.id, { author, body: deps.mask(body) })
        return `The comment is at ${task.id}.`
      },
    }),
  ]
}

interface Completion {
  readonly summary: string
  readonly result?: string | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  readonly created_tasks?: readonly string[] | undefined
  readonly artifacts?: readonly string[] | undefined
}

async function complete(deps: WorkerToolDeps, input: Completion, cwd: string): Promise<string> {
  const claim = requireOwn(deps)
  const { lease, task } = claim
  const by = getAuthor(task)
  const boards = deps.boards()
  await keepArtifacts(boards, { taskId: task.id, by, cwd, paths: input.artifacts ?? [] })
  const completion = {
    summary: deps.mask(input.summary),
    ...(input.result !== undefined && { result: deps.mask(input.result) }),
    ...(input.metadata && { metadata: input.metadata }),
    ...(input.created_tasks && { createdTasks: input.created_tasks }),
  }
  // The checks may have been changed since the work began.
  const { checks } = await boards.get(task.id)
  if (checks.length > 0) {
    await give(claim, 'handed-in', () => boards.submit(lease, completion))
    const what = checks.length === 1 ? 'Its check is' : `Its ${checks.length} checks are`
    return `${task.id} is handed in. ${what} looked at once you have ended; what fails comes back to you. End your turn.`
  }
  await give(claim, 'completed', () => boards.complete(task.id, { ...completion, by, lease, isUnverified: true }))
  return `${task.id} is done. It has no checks, so it is marked as not verified. End your turn.`
}

/** Throws `KANBAN_NOT_YOURS` once the task has left the hands of this worker. */
export function requireOwn({ claim }: Pick<WorkerToolDeps, 'claim'>): WorkerClaim {
  const own = claim()
  if (own.departure === undefined) return own
  throw new SvcError('KANBAN_NOT_YOURS', `${own.task.id} is not yours any more: ${own.departure}. End your turn.`)
}

/** The task leaves the hands of this worker, once that is written down. */
async function give<T>(claim: WorkerClaim, how: 'completed' | 'handed-in' | 'blocked', move: () => Promise<T>) {
  try {
    const after = await move()
    claim.departure = how
    return after
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'KANBAN_LEASE_LOST') claim.lose()
    throw error
  }
}
