/** Wires the routes of tools, skills, MCP servers and jobs. */
import { definePlugin } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { cronRoutes } from './cron-routes.ts'
import { mcpChangeRoutes } from './mcp-change-routes.ts'
import { mcpRoutes } from './mcp-routes.ts'
import { skillRoutes } from './skill-routes.ts'
import { targetRoutes } from './target-routes.ts'
import { toolRoutes } from './tool-routes.ts'
import { toolsetConfigRoutes } from './toolset-config-routes.ts'

export default definePlugin({
  setup(ctx) {
    for (const route of [
      ...toolRoutes(ctx),
      ...toolsetConfigRoutes(ctx),
      ...skillRoutes(ctx),
      ...mcpRoutes(ctx),
      ...mcpChangeRoutes(ctx),
      ...cronRoutes(ctx),
      ...targetRoutes(ctx),
    ])
      ctx.add(DashboardRoutes, route)
  },
})
