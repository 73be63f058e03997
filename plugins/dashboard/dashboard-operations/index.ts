/** Wires the routes of the operation of an installation. */
import { definePlugin } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { approvalRoutes } from './approval-routes.ts'
import { deliveryRoutes } from './delivery-routes.ts'
import { gatewayRoutes } from './gateway-routes.ts'
import { logRoutes } from './log-routes.ts'
import { pluginRoutes } from './plugin-routes.ts'
import { systemRoutes } from './system-routes.ts'
import { updateRoutes } from './update-routes.ts'
import { usageRoutes } from './usage-routes.ts'

export default definePlugin({
  setup(ctx) {
    const insight = [logRoutes, usageRoutes, deliveryRoutes, systemRoutes]
    const changes = [pluginRoutes, approvalRoutes, gatewayRoutes, updateRoutes]
    for (const route of [...insight, ...changes].flatMap((list) => list(ctx))) ctx.add(DashboardRoutes, route)
  },
})
