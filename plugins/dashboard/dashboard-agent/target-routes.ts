/** Where results of scheduled jobs can be delivered. */
import type { PluginContext } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Outbox } from 'svc/sdk/platform'
import { z } from 'zod'

export function targetRoutes(ctx: PluginContext<undefined>): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/cron/delivery-targets',
      summary:
        'What `deliver` of a job may name in this process: this installation, and platforms with their home chats',
      response: z.object({
        targets: z.array(z.object({ id: z.string(), name: z.string(), home_target_set: z.boolean() })),
      }),
      handle() {
        const outbox = ctx.find(Outbox)
        const platforms = (outbox?.destinations() ?? []).filter(({ target }) => !target.includes(':'))
        const targets = platforms.map(({ target, label }) => {
          return { id: target, name: label, home_target_set: outbox?.home(target) !== undefined }
        })
        return { targets: [{ id: 'local', name: 'This installation', home_target_set: true }, ...targets] }
      },
    }),
  ]
}
