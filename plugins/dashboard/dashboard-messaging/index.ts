/** Wires the routes of chat platforms, of accounts of phones and of pairing. */
import { definePlugin } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { pairingRoutes } from './pairing-routes.ts'
import { phoneRoutes } from './phone-routes.ts'
import { platformRoutes } from './platform-routes.ts'

export default definePlugin({
  setup(ctx) {
    for (const route of [...platformRoutes(ctx), ...phoneRoutes(ctx), ...pairingRoutes(ctx)])
      ctx.add(DashboardRoutes, route)
  },
})
