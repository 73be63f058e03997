/** The shell command `svc portal`, and the same for the dashboard. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { portalCommand } from './cli.ts'
import { portalRoutes } from './routes.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, portalCommand(ctx))
    for (const route of portalRoutes(ctx)) ctx.add(DashboardRoutes, route)
  },
})
