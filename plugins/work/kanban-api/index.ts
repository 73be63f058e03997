/** Wires the routes of the kanban board, which the API server serves, and its live feed for the dashboard. */
import { definePlugin } from 'svc/sdk'
import { DashboardSockets } from 'svc/sdk/dashboard'
import { ApiRoutes } from 'svc/sdk/web'
import { eventSocket } from './event-socket.ts'
import { kanbanRoutes } from './routes.ts'

export default definePlugin({
  setup(ctx) {
    for (const route of kanbanRoutes(ctx)) ctx.add(ApiRoutes, route)
    ctx.add(DashboardSockets, eventSocket(ctx))
  },
})
