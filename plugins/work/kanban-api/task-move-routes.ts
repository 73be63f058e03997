/** What takes a task further: changes of its texts, its assignee and its status, of one task or of many. */
import { logFault, SvcError } from 'svc/sdk'
import { type Boards, TASK_STATUSES, type Task, type TaskChanges, type TaskStatus } from 'svc/sdk/kanban'
import type { ApiRoute } from 'svc/sdk/web'
import { z } from 'zod'
import { AUTHOR, type Context, defineRoute, formatCode, getId, invalid, reasonBody } from './route.ts'
import { taskSchema, toTask } from './wire.ts'

const MAX_BULK = 500

const status = z.string().optional()
const said = {
  result: z.string().nullish(),
  summary: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  unverified: z.boolean().optional().meta({ description: 'To done, although its checks were not looked at.' }),
}
const changes = z.looseObject({
  status: status.meta({ description: 'Any but running, which only a worker gets.' }),
  assignee: z.string().nullish(),
  priority: z.number().int().optional(),
  title: z.string().optional(),
  body: z.string().optional(),
  block_reason: z.string().nullish(),
  not_before: z.number().nullish().meta({ description: 'To scheduled: when it goes on, in seconds since 1970.' }),
  ...said,
})
const bulk = z.looseObject({
  ids: z.array(z.string()).min(1).max(MAX_BULK),
  status,
  assignee: z.string().nullish(),
  priority: z.number().int().optional(),
  archive: z.boolean().optional(),
  reclaim_first: z.boolean().optional(),
  ...said,
})
const results = z.object({
  results: z.array(
    z.object({ id: z.string(), ok: z.boolean(), error: z.string().optional(), code: z.string().optional() }),
  ),
})

type Changes = z.infer<typeof changes>

export function taskMoveRoutes(ctx: Context): readonly ApiRoute[] {
  return [
    defineRoute(ctx, {
      method: 'PATCH',
      path: '/tasks/:id',
      summary: 'Changes texts, assignee and status of a task together, or nothing',
      body: changes,
      response: z.object({ task: taskSchema }),
      handle: async (boards, request) => ({ task: toTask(await change(boards, getId(request), request.body)) }),
    }),
    defineRoute(ctx, {
      method: 'POST',
      path: '/tasks/bulk',
      summary: 'Changes many tasks; one that is refused keeps no other back',
      body: bulk,
      response: results,
      async handle(boards, { body: { ids, archive, reclaim_first, ...given } }) {
        const wanted = archive ? { ...given, status: 'archived' } : given
        readStatus(wanted.status)
        const done = []
        for (const id of new Set(ids)) done.push(await changeOne(ctx, boards, id, wanted, reclaim_first === true))
        return { results: done }
      },
    }),
    defineRoute(ctx, {
      method: 'POST',
      path: '/tasks/:id/reclaim',
      summary: 'Takes a running task back from its worker',
      body: reasonBody,
      async handle(boards, request) {
        await boards.reclaim(getId(request), { by: AUTHOR, ...toReason(request.body.reason) })
        return { ok: true, task_id: getId(request) }
      },
    }),
    defineRoute(ctx, {
      method: 'POST',
      path: '/tasks/:id/reassign',
      summary: 'Gives a task to another profile; one that runs only with reclaim_first',
      body: reasonBody.extend({ profile: z.string().nullish(), reclaim_first: z.boolean().optional() }),
      async handle(boards, request) {
        const { profile, reclaim_first, reason } = request.body
        const id = getId(request)
        const revision = { reclaimsFirst: reclaim_first === true, assignee: profile || null }
        const { assignee } = await boards.change(id, revision, { by: AUTHOR, ...toReason(reason) })
        return { ok: true, task_id: id, assignee: assignee ?? null }
      },
    }),
  ]
}

async function changeOne(ctx: Context, boards: Boards, id: string, wanted: Changes, isReclaimed: boolean) {
  try {
    await change(boards, id, wanted, isReclaimed)
    return { id, ok: true }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    logFault(ctx.log, 'one of many tasks was not changed', error)
    return { id, ok: false, error: error.message, code: formatCode(error.code) }
  }
}

/** All of it in one transaction. */
async function change(boards: Boards, id: string, wanted: Changes, reclaimsFirst = false): Promise<Task> {
  const to = readStatus(wanted.status)
  const isMoved = to !== undefined && to !== (await boards.get(id)).status
  const { assignee } = wanted
  const revision = {
    reclaimsFirst,
    changes: readTexts(wanted, isMoved && to === 'done'),
    ...(assignee !== undefined && { assignee: assignee || null }),
    ...(isMoved && { move: readMove(to, wanted) }),
  }
  return boards.change(id, revision, { by: AUTHOR })
}

function readStatus(name: string | undefined): TaskStatus | undefined {
  if (name === undefined) return undefined
  const found = TASK_STATUSES.find((each) => each === name)
  if (found === 'running')
    throw invalid('status: running is what a worker makes of a task that it has claimed; it cannot be set.')
  if (found) return found
  throw invalid(`status: ${JSON.stringify(name.slice(0, 40))} is not a status. There are ${TASK_STATUSES.join(', ')}.`)
}

/** What is reported with a move to done belongs to it; otherwise it is changed at a task that is done. */
function readTexts({ title, body, priority, result, summary, metadata }: Changes, isCompleting: boolean): TaskChanges {
  return {
    ...(title !== undefined && { title }),
    ...(body !== undefined && { body }),
    ...(priority !== undefined && { priority }),
    ...(!isCompleting && result != null && { result }),
    ...(!isCompleting && summary != null && { summary }),
    ...(!isCompleting && metadata != null && { metadata }),
  }
}

function readMove(to: TaskStatus, { block_reason, result, summary, metadata, unverified, not_before }: Changes) {
  return {
    to,
    ...toReason(block_reason),
    ...(result != null && { result }),
    ...(summary != null && { summary }),
    ...(metadata != null && { metadata }),
    ...(unverified !== undefined && { isUnverified: unverified }),
    ...(not_before != null && { at: Math.round(not_before * 1000) }),
  }
}

function toReason(reason: string | null | undefined) {
  return reason ? { reason } : {}
}
