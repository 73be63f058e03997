/** Wires the routes of sessions; the API server serves them. */
import { ApiRoutes, definePlugin } from 'svc/sdk'
import { sessionRoutes } from './routes.ts'

export default definePlugin({
  setup(ctx) {
    for (const route of sessionRoutes(ctx)) ctx.add(ApiRoutes, route)
  },
})
