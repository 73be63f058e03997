/** What other plugins do with tasks: plan, dispatch, show the log of workers; and who gets what. */
import { Plugins } from 'svc/sdk/host'
import { TaskDispatch, TaskPlanner, type TaskRouting } from 'svc/sdk/kanban'
import type { ApiRequest, ApiRoute } from 'svc/sdk/web'
import { z } from 'zod'
import { planRoutes } from './plan-routes.ts'
import { type Context, defineRoute, flag, getId, isOn, requireService } from './route.ts'

const MAX_LOG = 2_000_000

const settings = z.looseObject({
  orchestrator_profile: z.string().max(64).nullish(),
  default_assignee: z.string().max(64).nullish(),
  auto_decompose: z.boolean().optional(),
})

export function workRoutes(ctx: Context): readonly ApiRoute[] {
  return [...planRoutes(ctx), ...dispatchRoutes(ctx), ...orchestrationRoutes(ctx)]
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
