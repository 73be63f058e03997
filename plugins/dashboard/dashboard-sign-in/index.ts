/** Routes of the dashboard for signing in to model services. */
import { definePlugin } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { signInRoutes } from './routes.ts'

export default definePlugin({
  setup(ctx) {
    for (const route of signInRoutes(ctx)) ctx.add(DashboardRoutes, route)
  },
})
