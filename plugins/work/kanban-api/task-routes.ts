/** Tasks: create, show, change and delete. */
import { type Boards, type NewTask, TASK_STATUSES, type TaskCheck, type TaskWorkspace } from 'svc/sdk/kanban'
import type { ApiRoute } from 'svc/sdk/web'
import { z } from 'zod'
import { AUTHOR, boardQuery, type Context, defineRoute, flag, getBoard, getId, invalid, isOn } from './route.ts'
import {
  attachmentSchema,
  cardSchema,
  commentSchema,
  eventSchema,
  runSchema,
  taskSchema,
  toAttachment,
  toCard,
  toComment,
  toEvent,
  toRun,
  toTask,
} from './wire.ts'

const newTask = z.looseObject({
  title: z.string(),
  body: z.string().nullish(),
  assignee: z.string().nullish(),
  tenant: z.string().nullish(),
  priority: z.number().int().nullish(),
  workspace_kind: z.enum(['scratch', 'dir', 'worktree']).nullish(),
  workspace_path: z.string().nullish(),
  branch_name: z.string().nullish(),
  parents: z.array(z.string()).nullish(),
  triage: z.boolean().nullish(),
  initial_status: z.enum(['blocked']).nullish(),
  idempotency_key: z.string().nullish(),
  max_runtime_seconds: z.number().positive().nullish(),
  max_retries: z.number().int().nullish(),
  skills: z.array(z.string()).nullish(),
  model_override: z.string().nullish(),
  session_id: z.string().nullish(),
  budget_usd: z.number().nullish(),
  checks: z
    .array(z.looseObject({ type: z.enum(['command', 'file', 'hash', 'http']) }))
    .nullish()
    .meta({ description: 'What has to hold before it counts as done.' }),
  created_by: z.string().nullish(),
})
/** Of other boards with this interface: a client that relies on one is told. */
const ABSENT = ['workflow_template_id', 'current_step_key', 'goal_mode', 'plan_audit_required', 'project'] as const

const details = z.object({
  task: taskSchema,
  comments: z.array(commentSchema),
  events: z.array(eventSchema),
  attachments: z.array(attachmentSchema),
  links: z.object({ parents: z.array(z.string()), children: z.array(z.string()) }),
  child_results: z.array(
    z.object({ id: z.string(), title: z.string(), status: z.enum(TASK_STATUSES), summary: z.string().nullable() }),
  ),
  runs: z.array(runSchema),
  moves: z.array(z.object({ verb: z.string(), to: z.enum(TASK_STATUSES) })),
})

const listQuery = boardQuery.extend({
  status: z.string().optional().meta({ description: 'Statuses, with commas between them.' }),
  assignee: z.string().optional(),
  tenant: z.string().optional(),
  text: z.string().optional(),
  include_archived: flag,
  limit: z.coerce.number().int().min(1).max(20_000).default(200),
  offset: z.coerce.number().int().min(0).default(0),
})

export function taskRoutes(ctx: Context): readonly ApiRoute[] {
  return [
    defineRoute(ctx, {
      method: 'GET',
      path: '/tasks',
      summary: 'Tasks, the oldest first',
      query: listQuery,
      response: z.object({ tasks: z.array(cardSchema), total: z.number() }),
      handle: (boards, { query }) => listTasks(boards, query),
    }),
    defineRoute(ctx, {
      method: 'POST',
      path: '/tasks',
      summary: 'Creates a task; with the idempotency_key of another one, shows that',
      query: boardQuery,
      body: newTask,
      response: z.object({ task: taskSchema, created: z.boolean(), warning: z.string().optional() }),
      handle: (boards, { query, body }) => createTask(boards, query.board, body),
    }),
    defineRoute(ctx, {
      method: 'GET',
      path: '/tasks/:id',
      summary: 'A task with all that belongs to it',
      response: details,
      handle: (boards, request) => showTask(boards, getId(request)),
    }),
    defineRoute(ctx, {
      method: 'DELETE',
      path: '/tasks/:id',
      summary: 'Deletes a task with its comments, files and events; one that runs loses its worker first',
      async handle(boards, request) {
        const id = getId(request)
        const { status } = await boards.get(id)
        if (status !== 'archived') await boards.archive(id, { by: AUTHOR })
        await boards.remove(id)
        return { deleted: true, task_id: id }
      },
    }),
    defineRoute(ctx, {
      method: 'POST',
      path: '/tasks/:id/comments',
      summary: 'Writes a comment; the worker reads it at its next run',
      body: z.looseObject({ body: z.string(), author: z.string().max(200).nullish() }),
      response: z.object({ ok: z.boolean(), comment: commentSchema }),
      async handle(boards, request) {
        const { body, author } = request.body
        const comment = await boards.comment(getId(request), { body, author: author || AUTHOR })
        return { ok: true, comment: toComment(comment) }
      },
    }),
    ...linkRoutes(ctx),
  ]
}

const pair = z.looseObject({ parent_id: z.string(), child_id: z.string() })

function linkRoutes(ctx: Context): readonly ApiRoute[] {
  return [
    defineRoute(ctx, {
      method: 'POST',
      path: '/links',
      summary: 'Has a task wait for another',
      body: pair,
      async handle(boards, { body }) {
        await boards.link(body.parent_id, body.child_id, { by: AUTHOR })
        return { ok: true }
      },
    }),
    defineRoute(ctx, {
      method: 'DELETE',
      path: '/links',
      summary: 'Has a task no longer wait for another',
      query: pair,
      async handle(boards, { query }) {
        await boards.unlink(query.parent_id, query.child_id, { by: AUTHOR })
        return { ok: true }
      },
    }),
  ]
}

async function listTasks(boards: Boards, query: z.infer<typeof listQuery>): Promise<object> {
  const { board, status, assignee, tenant, text, include_archived, limit, offset } = query
  const names = status?.split(',').map((name) => name.trim())
  const statuses = names?.map((name) => {
    const found = TASK_STATUSES.find((each) => each === name)
    if (!found) throw invalid(`status: ${JSON.stringify(name.slice(0, 40))} is not a status.`)
    return found
  })
  const { tasks, total } = await boards.list({
    ...getBoard({ board }),
    ...(statuses && { statuses }),
    ...(assignee !== undefined && { assignee }),
    ...(tenant !== undefined && { tenant }),
    ...(text !== undefined && { text }),
    archived: isOn(include_archived),
    limit,
    offset,
  })
  return { tasks: tasks.map(toCard), total }
}

async function showTask(boards: Boards, id: string): Promise<object> {
  const { task, parents, children, comments, events, runs, attachments } = await boards.details(id)
  return {
    task: toTask(task),
    comments: comments.map(toComment),
    events: events.map(toEvent),
    attachments: attachments.map(toAttachment),
    links: { parents: parents.map((one) => one.id), children: children.map((one) => one.id) },
    child_results: children.map((one) => {
      return { id: one.id, title: one.title, status: one.status, summary: one.summary ?? null }
    }),
    runs: runs.map(toRun),
    moves: await boards.moves(id),
  }
}

async function createTask(boards: Boards, board: string | undefined, body: z.infer<typeof newTask>): Promise<object> {
  const absent = ABSENT.find((name) => body[name] !== undefined && body[name] !== null && body[name] !== false)
  if (absent !== undefined) throw invalid(`${absent}: this board does not have it. Leave it out.`)
  const { task, isNew } = await boards.create(readNewTask(board, body))
  const isOpen = task.assignee === undefined && task.status === 'ready'
  const warning = isOpen ? 'It has no assignee: the dispatcher gives it to the default one.' : undefined
  return { task: toTask(task), created: isNew, ...(warning !== undefined && { warning }) }
}

function readNewTask(board: string | undefined, body: z.infer<typeof newTask>): NewTask {
  const { max_runtime_seconds: seconds } = body
  const given = {
    ...{ board, body: body.body, assignee: body.assignee, tenant: body.tenant, priority: body.priority },
    ...{ parents: body.parents, isTriage: body.triage, isBlocked: body.initial_status === 'blocked' },
    ...{ idempotencyKey: body.idempotency_key, maxRetries: body.max_retries, skills: body.skills },
    ...{ model: body.model_override, sessionId: body.session_id, budgetUsd: body.budget_usd },
    maxRuntimeMs: seconds && Math.ceil(seconds * 1000),
    // The boards look at what is in them.
    checks: body.checks as readonly TaskCheck[] | null | undefined,
    workspace: readWorkspace(body),
  }
  return { ...withoutEmpty(given), title: body.title, by: body.created_by || AUTHOR }
}

function readWorkspace(body: z.infer<typeof newTask>): TaskWorkspace | undefined {
  const { workspace_kind, workspace_path, branch_name } = body
  const named = withoutEmpty({ kind: workspace_kind, path: workspace_path, branch: branch_name })
  return Object.keys(named).length === 0 ? undefined : { kind: 'scratch', ...named }
}

/** Forms send an empty text, or null, for what was left out. */
function withoutEmpty<T extends object>(given: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const named = Object.entries(given).filter(([, value]) => value !== undefined && value !== null && value !== '')
  return Object.fromEntries(named) as never
}
