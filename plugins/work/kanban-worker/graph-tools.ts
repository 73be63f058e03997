/** The tools of a worker about other tasks: those that it creates, and for an orchestrator those of its board. */
import { defineTool, SvcError, type Tool } from 'svc/sdk'
import { TASK_STATUSES, type TaskCheck } from 'svc/sdk/kanban'
import { z } from 'zod'
import { getAuthor, isOwnWork, requireNear } from './neighbours.ts'
import { cardText } from './task-text.ts'
import { common, requireOwn, taskId, titled, type WorkerToolDeps } from './tools.ts'

const MAX_CREATED = 100
const MAX_LISTED = 200

/** Commands and addresses are checked with the rights of the dispatcher: only people add such checks. */
const check = z.discriminatedUnion('type', [
  z.object({ type: z.literal('file'), path: z.string().min(1).max(4096), contains: z.string().max(2000).optional() }),
  z.object({ type: z.literal('hash'), path: z.string().min(1).max(4096), sha256: z.string().regex(/^[0-9a-f]{64}$/i) }),
])

const newTask = z.object({
  title: z.string().trim().min(1).max(400),
  body: z
    .string()
    .max(20_000)
    .optional()
    .describe('all that its worker has to know: it sees nothing of this conversation'),
  assignee: z.string().min(1).max(64).optional().describe('a profile; left out: yours'),
  parents: z.array(taskId).max(50).optional().describe('tasks that have to be done before it'),
  first: z.boolean().optional().describe('your task waits for it'),
  priority: z.number().int().min(-1000).max(1000).optional(),
  workspace: z.enum(['scratch', 'same']).optional().describe('same: the folder of your task'),
  checks: z.array(check).max(20).optional(),
})

export function graphTools(deps: WorkerToolDeps): Tool[] {
  const shared = { ...common, missing: deps.missing }
  return [
    defineTool({
      ...shared,
      ...titled('title', 'assignee'),
      name: 'kanban_create',
      description: 'Creates another task on your board.',
      input: newTask,
      effect: 'idempotent',
      run: async (input, { key }) => create(deps, input, key),
    }),
    defineTool({
      ...shared,
      ...titled('parent', 'child'),
      name: 'kanban_link',
      description: 'The child waits until the parent is done. The child has to be your task or one that you created.',
      input: z.object({ parent: taskId, child: taskId }),
      effect: 'idempotent',
      run: async ({ parent, child }) => {
        const own = requireOwn(deps).task
        await requireNear(deps, parent)
        const { task } = await requireNear(deps, child)
        if (!isOwnWork(own, task))
          throw new SvcError('KANBAN_NOT_YOURS', `${child} is neither your task nor created by it, so its links stay.`)
        await deps.boards().link(parent, child, { by: getAuthor(own), lease: deps.claim().lease })
        return `${child} waits for ${parent}.`
      },
    }),
    defineTool({
      ...shared,
      ...titled('status', 'assignee'),
      name: 'kanban_list',
      description: 'Tasks of your board; for the orchestrator.',
      input: z.object({
        status: z.enum(TASK_STATUSES).optional(),
        assignee: z.string().max(64).optional(),
        limit: z.number().int().min(1).max(MAX_LISTED).default(50),
      }),
      effect: 'pure',
      run: async ({ status, assignee, limit }) => {
        requireOrchestrator(deps)
        const { board, tenant } = deps.claim().task
        const query = { board, limit, ...(status && { statuses: [status] }), ...(assignee && { assignee }) }
        const { tasks, total } = await deps.boards().list({ ...query, ...(tenant !== undefined && { tenant }) })
        const rest = total > tasks.length ? [`${total - tasks.length} more.`] : []
        return [...tasks.map(cardText), ...rest].join('\n') || 'There is none.'
      },
    }),
    defineTool({
      ...shared,
      ...titled('task_id', 'reason'),
      name: 'kanban_unblock',
      description: 'A blocked task goes on, because what it lacked is there; for the orchestrator.',
      input: z.object({ task_id: taskId, reason: z.string().trim().min(1).max(2000) }),
      effect: 'idempotent',
      run: async ({ task_id, reason }) => {
        requireOrchestrator(deps)
        const own = requireOwn(deps).task
        await requireNear(deps, task_id)
        const after = await deps.boards().unblock(task_id, { by: getAuthor(own), reason: deps.mask(reason) })
        return `${task_id} is ${after.status}.`
      },
    }),
  ]
}

/** Throws `KANBAN_NOT_YOURS`. */
function requireOrchestrator({ isOrchestrator }: WorkerToolDeps): void {
  if (!isOrchestrator()) throw new SvcError('KANBAN_NOT_YOURS', 'Only the orchestrator lists and unblocks other tasks.')
}

/** Once for each call, also when it is repeated after a crash: its key is that of the task. */
async function create(deps: WorkerToolDeps, input: z.infer<typeof newTask>, key: string): Promise<string> {
  const own = requireOwn(deps).task
  const boards = deps.boards()
  for (const parent of input.parents ?? []) await requireNear(deps, parent)
  const { children, parents } = await boards.details(own.id)
  if (children.length + parents.length >= MAX_CREATED)
    throw new SvcError(
      'KANBAN_NOT_YOURS',
      `${own.id} has ${MAX_CREATED} tasks around it already. Block it and say why.`,
    )
  const { title, body, priority, checks, workspace } = input
  const assignee = input.assignee ?? own.assignee
  const { task, isNew } = await boards.create({
    ...{ board: own.board, title: deps.mask(title), by: getAuthor(own), idempotencyKey: `${own.id}/${key}` },
    ...(body !== undefined && { body: deps.mask(body) }),
    ...(assignee !== undefined && { assignee }),
    ...(own.tenant !== undefined && { tenant: own.tenant }),
    ...(priority !== undefined && { priority }),
    ...(input.parents && { parents: input.parents }),
    ...(checks && { checks: checks as readonly TaskCheck[] }),
    ...(workspace === 'same' && own.workspace.kind !== 'scratch' && { workspace: own.workspace }),
  })
  if (input.first === true) await boards.link(task.id, own.id, { by: getAuthor(own), lease: deps.claim().lease })
  const waits =
    input.first === true ? ` ${own.id} waits for it once you have called kanban_block with kind dependency.` : ''
  return `${task.id} is ${isNew ? 'created' : 'there already'} and ${task.status}.${waits}`
}
