/** Wires the dashboard: the service, its own routes, and the commands that run it. */
import { CliCommands, Clock, definePlugin, Random, Secrets, SvcError } from 'svc/sdk'
import { Dashboard, DashboardRoutes } from 'svc/sdk/dashboard'
import { StatusSections } from 'svc/sdk/operations'
import { explainWeakSecret } from 'svc/sdk/safety'
import { RpcMethods } from 'svc/sdk/web'
import { dashboardCommand, serveCommand } from './cli.ts'
import { type Config, config } from './config.ts'
import { Credentials } from './credentials.ts'
import { ownRoutes } from './own-routes.ts'
import { pageRoutes, watchMethod } from './page-routes.ts'
import { PluginPages } from './plugin-pages.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    let made: Credentials | undefined
    const credentials = () => {
      if (made) return made
      const given = ctx.use(Secrets).get('SVC_DASHBOARD_SESSION_TOKEN')
      const weakness = given === undefined ? undefined : explainWeakSecret(given)
      if (weakness !== undefined) throw new SvcError('DASHBOARD_TOKEN_WEAK', `SVC_DASHBOARD_SESSION_TOKEN ${weakness}.`)
      made = new Credentials(given, { clock: () => ctx.use(Clock), random: () => ctx.use(Random) })
      ctx.use(Secrets).protect(made.token)
      return made
    }
    const pages = new PluginPages(ctx, {
      frameKey: () => credentials().frameKey,
      createNonce: () => ctx.use(Random).hex(16),
    })
    ctx.provide(Dashboard, () => ({
      get token() {
        return credentials().token
      },
      async serve(options = {}) {
        const { listen } = await import('./server.ts')
        const served = await listen(ctx, { credentials: credentials(), pages }, options)
        ctx.defer(() => served.close())
        return served
      },
    }))
    for (const route of ownRoutes(ctx, { credentials })) ctx.add(DashboardRoutes, route)
    for (const route of pageRoutes(ctx, pages)) ctx.add(DashboardRoutes, route)
    ctx.add(RpcMethods, watchMethod(ctx, pages))
    ctx.add(StatusSections, {
      ...{ name: 'dashboard', title: 'Dashboard', order: 50 },
      read: async () => (await import('./status-section.ts')).readDashboardStatus(ctx),
    })
    ctx.add(CliCommands, dashboardCommand(ctx))
    ctx.add(CliCommands, serveCommand(ctx))
  },
})
