/** The weather in the dashboard: a route, a socket that tells of changes, and files. */
import { definePlugin } from 'svc/sdk'
import { DashboardFiles, DashboardRoutes, DashboardSockets, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'

export default definePlugin({
  setup(ctx) {
    ctx.add(
      DashboardRoutes,
      defineDashboardRoute({
        method: 'GET',
        path: '/api/plugins/weather/:city',
        summary: 'The weather of a city',
        response: z.object({ text: z.string() }),
        handle: ({ params }) => ({ text: `It is fine in ${params['city']}.` }),
      }),
    )
    ctx.add(DashboardSockets, {
      path: '/api/plugins/weather/changes',
      summary: 'Tells of changes of the weather',
      handle: async ({ send }) => send('It rains.'),
    })
    ctx.add(DashboardFiles, { name: 'weather', prefix: '/dashboard-plugins/weather', folder: import.meta.dirname })
  },
})
