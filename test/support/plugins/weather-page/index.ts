/** The weather in the dashboard: a route, a socket that tells of changes, files, a page, and a view for the terminal, too. */
import { join } from 'node:path'
import { definePlugin } from 'svc/sdk'
import {
  DashboardFiles,
  DashboardPages,
  DashboardRoutes,
  DashboardSockets,
  defineDashboardRoute,
  SharedViews,
} from 'svc/sdk/dashboard'
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
    const folder = join(import.meta.dirname, 'page')
    ctx.add(DashboardFiles, { name: 'weather', prefix: '/dashboard-plugins/weather', folder })
    ctx.add(DashboardPages, {
      name: 'weather',
      title: 'Weather',
      folder,
      entry: 'weather.js',
      uses: { routes: ['GET /api/plugins/weather/:city'] },
    })
    ctx.add(SharedViews, {
      name: 'sky',
      title: 'Sky',
      place: 'page',
      blocks: () => [{ type: 'facts', rows: [['Lisbon', 'fine']] }],
    })
  },
})
