/** Wires the routes of settings. */
import { definePlugin } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { configRoutes } from './config-routes.ts'
import { credentialRoutes } from './credential-routes.ts'
import { envRoutes } from './env-routes.ts'
import { modelRoutes } from './model-routes.ts'

export default definePlugin({
  setup(ctx) {
    const routes = [...configRoutes(ctx), ...envRoutes(ctx), ...modelRoutes(ctx), ...credentialRoutes(ctx)]
    for (const route of routes) ctx.add(DashboardRoutes, route)
  },
})
