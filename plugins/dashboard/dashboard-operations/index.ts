/** Wires the routes of the operation of an installation. */
import { Clock, definePlugin, Secrets } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { actionRoutes } from './action-routes.ts'
import { Actions } from './actions.ts'
import { approvalRoutes } from './approval-routes.ts'
import { backupRoutes } from './backup-routes.ts'
import { debugRoutes } from './debug-routes.ts'
import { deliveryRoutes } from './delivery-routes.ts'
import { gatewayRoutes } from './gateway-routes.ts'
import { importPreviewRoute } from './import-preview-routes.ts'
import { importRoutes } from './import-routes.ts'
import { logRoutes } from './log-routes.ts'
import { opsRoutes } from './ops-routes.ts'
import { pluginRoutes } from './plugin-routes.ts'
import { profileSessionRoutes } from './profile-session-routes.ts'
import { systemRoutes } from './system-routes.ts'
import { updateRoutes } from './update-routes.ts'
import { usageRoutes } from './usage-routes.ts'

export default definePlugin({
  setup(ctx) {
    const actions = new Actions({ clock: () => ctx.use(Clock), secrets: () => ctx.use(Secrets), log: ctx.log })
    const insight = [
      logRoutes,
      usageRoutes,
      deliveryRoutes,
      systemRoutes,
      pluginRoutes,
      approvalRoutes,
      profileSessionRoutes,
    ]
    const followed = [gatewayRoutes, updateRoutes, opsRoutes, backupRoutes, importRoutes, debugRoutes]
    const routes = [
      ...insight.flatMap((list) => list(ctx)),
      ...followed.flatMap((list) => list(ctx, actions)),
      importPreviewRoute(ctx),
      ...actionRoutes(actions),
    ]
    for (const route of routes) ctx.add(DashboardRoutes, route)
  },
})
