/** Whether there is a newer version. The network is asked only when a person asks. */
import { Clock, type PluginContext } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { requireService, withStatus } from 'svc/sdk/kit/net'
import { Updates } from 'svc/sdk/operations'
import { z } from 'zod'
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

export function updateRoutes(ctx: PluginContext<undefined>): readonly DashboardRoute[] {
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
  ]
}
