/** Wires the routes of sessions; the API server serves them. */
import { definePlugin } from 'svc/sdk'
import { ApiRoutes } from 'svc/sdk/web'
import { sessionRoutes } from './routes.ts'

export default definePlugin({
  setup(ctx) {
    for (const route of sessionRoutes(ctx)) ctx.add(ApiRoutes, route)
  },
})
