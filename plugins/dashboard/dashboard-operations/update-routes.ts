/** Whether there is a newer version, and the update to it. The network is asked only when a person asks. */
import { Clock, type PluginContext } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { requireService, withStatus } from 'svc/sdk/kit/net'
import { Updates } from 'svc/sdk/operations'
import { z } from 'zod'
import { beginCommand } from './action-routes.ts'
import type { Actions } from './actions.ts'
import { STATUSES } from './statuses.ts'

const checkSchema = z.object({
  checked_at: z.number(),
  install_method: z.string(),
  current_version: z.string(),
  newest: z.string().nullable(),
  update_available: z.boolean(),
  can_apply: z.boolean().meta({ description: 'svc updates itself here.' }),
  update_command: z.string().nullable(),
  message: z.string().nullable().meta({ description: 'Why svc does not update itself here, and what does.' }),
})

const begunUpdate = z.object({
  ok: z.boolean(),
  pid: z.number().nullable(),
  name: z.string().optional(),
  started_at: z.number().optional(),
  error: z
    .enum(['docker_update_unsupported', 'update_managed_externally', 'no_update'])
    .optional()
    .meta({ description: 'Why nothing was begun.' }),
  message: z.string().optional(),
  update_command: z.string().nullable().optional(),
})

export function updateRoutes(ctx: PluginContext<undefined>, actions: Actions): readonly DashboardRoute[] {
  let last: z.infer<typeof checkSchema> | undefined
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/svc/update/check',
      summary: 'What the last look for a newer version found; with `force` it looks now',
      query: z.object({ force: z.enum(['0', '1', 'true', 'false']).optional() }),
      response: z.object({ check: checkSchema.nullable() }),
      handle: ({ query: { force }, signal }) =>
        withStatus(STATUSES, async () => {
          if (force !== '1' && force !== 'true') return { check: last ?? null }
          const updates = requireService(await ctx.use(Plugins).bring(Updates), Updates.id)
          const { method, version, newest, isNewer, command, reason } = await updates.check({ signal })
          last = {
            ...{ checked_at: ctx.use(Clock).now(), install_method: method, current_version: version },
            newest: newest ?? null,
            update_available: isNewer,
            can_apply: reason === undefined,
            update_command: command ?? null,
            message: reason ?? null,
          }
          return { check: last }
        }),
    }),
    updateRoute(ctx, actions),
  ]
}

function updateRoute(ctx: PluginContext<undefined>, actions: Actions): DashboardRoute {
  return defineDashboardRoute({
    method: 'POST',
    path: '/api/svc/update',
    summary:
      'Updates svc, or says what does; GET /api/actions/svc-update/status follows it. What runs keeps its version until it is started again',
    body: z.strictObject({ backup: z.boolean().default(true).meta({ description: 'Backs the home up before.' }) }),
    response: begunUpdate,
    handle: ({ body: { backup }, signal }) =>
      withStatus(STATUSES, async () => {
        actions.requireFree('svc-update')
        const updates = requireService(await ctx.use(Plugins).bring(Updates), Updates.id)
        const { method, version, isNewer, reason } = await updates.check({ signal })
        if (reason !== undefined) {
          const error = method === 'container' ? 'docker_update_unsupported' : 'update_managed_externally'
          return { ok: false, pid: null, error, message: reason, update_command: null } as const
        }
        if (!isNewer) {
          const message = `svc ${version} is the newest version.`
          return { ok: false, pid: null, error: 'no_update', message, update_command: null } as const
        }
        const words = ['update', '--yes', ...(backup ? [] : ['--no-backup'])]
        return beginCommand(ctx, actions, { name: 'svc-update', words })
      }),
  })
}
