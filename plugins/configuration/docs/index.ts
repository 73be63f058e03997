/** Wires the documentation: the command and the routes of the dashboard. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { docsCommand } from './cli.ts'
import { docsRoutes } from './routes.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, docsCommand(ctx))
    for (const route of docsRoutes(ctx)) ctx.add(DashboardRoutes, route)
  },
})
