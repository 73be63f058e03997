import { CliCommands, definePlugin, Home } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { McpPicker } from 'svc/sdk/mcp'
import { catalogCommands } from './cli.ts'
import { findInstalled, removeInstalled } from './folder.ts'
import { catalogRoutes } from './routes.ts'

export default definePlugin({
  setup(ctx) {
    const root = () => ctx.use(Home).path('mcp-installs')
    ctx.provide(McpPicker, () => ({
      pick: async (io) => (await import('./picker.ts')).pick(ctx, io),
      findInstalled: (name) => findInstalled(root(), name),
      removeInstalled: (name) => void removeInstalled(root(), name),
    }))
    for (const command of catalogCommands(ctx)) ctx.add(CliCommands, command)
    for (const route of catalogRoutes(ctx)) ctx.add(DashboardRoutes, route)
  },
})
