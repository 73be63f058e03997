/** Wires the route by which a scheduler elsewhere asks for runs. */
import { definePlugin } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { fireRoute } from './routes.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(DashboardRoutes, fireRoute(ctx))
  },
})
