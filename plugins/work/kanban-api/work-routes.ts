/** What other plugins do with tasks: plan, dispatch, show the log of workers; and who gets what. */
import { SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { type PlannedTask, TaskDispatch, TaskPlanner, type TaskRouting } from 'svc/sdk/kanban'
import type { ApiRequest, ApiRoute } from 'svc/sdk/web'
import { z } from 'zod'
import { AUTHOR, type Context, defineRoute, flag, getId, isOn } from './route.ts'

const MAX_LOG = 2_000_000

const byBody = z.looseObject({ author: z.string().max(200).nullish() })
const planned = z.object({
  ok: z.boolean(),
  task_id: z.string(),
  reason: z.string().nullable(),
  fanout: z.boolean(),
  child_ids: z.array(z.string()),
  new_title: z.string().nullable(),
})
const settings = z.looseObject({
  orchestrator_profile: z.string().max(64).nullish(),
  default_assignee: z.string().max(64).nullish(),
  auto_decompose: z.boolean().optional(),
})

export function workRoutes(ctx: Context): readonly ApiRoute[] {
  return [...planRoutes(ctx), ...dispatchRoutes(ctx), ...orchestrationRoutes(ctx)]
}

/** A service of a plugin that is loaded when it is first asked for. Throws `API_KANBAN_ABSENT`. */
export function requireService<T>(service: T | undefined): T {
  if (service !== undefined) return service
  throw new SvcError('API_KANBAN_ABSENT', 'The plugin that does this is switched off on this server.', { status: 501 })
}

function planRoutes(ctx: Context): readonly ApiRoute[] {
  const plan = (verb: 'decompose' | 'specify', summary: string) =>
    defineRoute(ctx, {
      method: 'POST',
      path: `/tasks/:id/${verb}`,
      summary,
      body: byBody,
      response: planned,
      async handle(boards, request) {
        // What does not exist is refused; why a task was not planned is in the result.
        await boards.get(getId(request))
        const by = request.body.author || AUTHOR
        return toPlanned(
          await requireService(await ctx.use(Plugins).bring(TaskPlanner))[verb](getId(request), {
            by,
            signal: request.signal,
          }),
        )
      },
    })
  return [
    plan('decompose', 'Has a model take a task in triage apart, or write what it is about'),
    plan('specify', 'Has a model write what a task in triage is about'),
  ]
}

function toPlanned({ taskId, reason, isFanOut, childIds, newTitle }: PlannedTask): z.infer<typeof planned> {
  return {
    ...{ ok: reason === undefined, task_id: taskId, reason: reason ?? null },
    ...{ fanout: isFanOut, child_ids: [...childIds], new_title: newTitle ?? null },
  }
}

function dispatchRoutes(ctx: Context): readonly ApiRoute[] {
  return [
    defineRoute(ctx, {
      method: 'POST',
      path: '/dispatch',
      summary: 'Looks after workers and gives ready tasks to new ones, once',
      query: z.looseObject({
        dry_run: flag,
        max: z.coerce.number().int().min(1).max(1000).default(8),
        board: z.string().optional(),
      }),
      async handle(boards, { query: { dry_run, max, board } }) {
        if (board) await boards.board(board)
        const options = { isDry: isOn(dry_run), max, ...(board && { board }) }
        const { report, heldBy } = await requireService(await ctx.use(Plugins).bring(TaskDispatch)).dispatch(options)
        return report ? { ...report } : { held_by: heldBy }
      },
    }),
    defineRoute(ctx, {
      method: 'GET',
      path: '/tasks/:id/log',
      summary: 'What the workers of a task wrote on this machine; with after only what came since',
      query: z.looseObject({
        tail: z.coerce.number().int().min(1).max(MAX_LOG).optional().meta({ description: 'The last so many bytes.' }),
        after: z.coerce.number().int().min(0).optional().meta({ description: 'The to of the part before.' }),
      }),
      response: z.object({
        task_id: z.string(),
        path: z.string(),
        exists: z.boolean(),
        size_bytes: z.number(),
        content: z.string(),
        truncated: z.boolean(),
        from: z.number(),
        to: z.number(),
      }),
      handle: async (boards, request) => readLog(ctx, (await boards.get(getId(request))).id, request.query),
    }),
  ]
}

async function readLog(
  ctx: Context,
  id: string,
  { tail, after }: { tail?: number | undefined; after?: number | undefined },
) {
  const options = {
    ...(tail !== undefined && { maxBytes: tail }),
    ...(after !== undefined && { after, isWhole: true }),
  }
  const { file, exists, size, from, to, text } = await requireService(await ctx.use(Plugins).bring(TaskDispatch)).log(
    id,
    options,
  )
  return { task_id: id, path: file, exists, size_bytes: size, content: text, truncated: from > 0, from, to }
}

function orchestrationRoutes(ctx: Context): readonly ApiRoute[] {
  return [
    defineRoute(ctx, {
      method: 'GET',
      path: '/orchestration',
      summary: 'Who judges and who gets tasks, as set and as it is for the profiles that exist',
      handle: async () => toOrchestration(await requireService(await ctx.use(Plugins).bring(TaskPlanner)).routing()),
    }),
    defineRoute(ctx, {
      method: 'PUT',
      path: '/orchestration',
      summary: 'Changes these settings; an empty name clears one',
      body: settings,
      handle: async (_boards, request) => setOrchestration(ctx, request),
    }),
  ]
}

async function setOrchestration(
  ctx: Context,
  { body }: Pick<ApiRequest<unknown, z.infer<typeof settings>>, 'body'>,
): Promise<object> {
  const { orchestrator_profile, default_assignee, auto_decompose } = body
  const routing = await requireService(await ctx.use(Plugins).bring(TaskPlanner)).setRouting({
    ...(orchestrator_profile !== undefined && { orchestrator: orchestrator_profile ?? '' }),
    ...(default_assignee !== undefined && { defaultAssignee: default_assignee ?? '' }),
    ...(auto_decompose !== undefined && { isAutomatic: auto_decompose }),
  })
  return toOrchestration(routing)
}

function toOrchestration(routing: TaskRouting): object {
  return {
    orchestrator_profile: routing.orchestrator,
    default_assignee: routing.defaultAssignee,
    auto_decompose: routing.isAutomatic,
    resolved_orchestrator_profile: routing.resolvedOrchestrator,
    resolved_default_assignee: routing.resolvedDefaultAssignee,
  }
}
