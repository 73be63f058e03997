/** A route of the API server. */
import { definePlugin } from 'svc/sdk'
import { ApiRoutes, defineApiRoute, jsonResponse } from 'svc/sdk/web'

export default definePlugin({
  setup(ctx) {
    ctx.add(
      ApiRoutes,
      defineApiRoute({
        method: 'GET',
        path: '/v1/coffee',
        summary: 'Say whether there is coffee',
        handle: async () => jsonResponse({ coffee: true }),
      }),
    )
  },
})
