/** Wires the routes of the kanban board; the API server serves them. */
import { definePlugin } from 'svc/sdk'
import { ApiRoutes } from 'svc/sdk/web'
import { kanbanRoutes } from './routes.ts'

export default definePlugin({
  setup(ctx) {
    for (const route of kanbanRoutes(ctx)) ctx.add(ApiRoutes, route)
  },
})
