/** Wires the login: the service that the dashboard asks, its routes, its commands and its audit log. */
import { CliCommands, Clock, definePlugin, Home, Net, type PluginContext, Random, Secrets } from 'svc/sdk'
import { DashboardLogin, DashboardRoutes } from 'svc/sdk/dashboard'
import { LogFiles } from 'svc/sdk/operations'
import { Accounts, accountsSchema } from './accounts.ts'
import { Attempts } from './attempts.ts'
import { createAudit } from './audit.ts'
import { loginCommands } from './cli.ts'
import { type Config, config } from './config.ts'
import type { LoginDeps } from './deps.ts'
import { Logins, loginsSchema } from './logins.ts'
import { OidcLogin } from './oidc.ts'
import { loginRoutes } from './routes.ts'
import { Visits } from './visits.ts'

const SWEEP_MS = 30_000

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const path = ctx.use(Home).path('logs', 'dashboard-auth.log')
    const deps = createDeps(ctx, path)
    const { accounts, logins, visits } = deps
    ctx.provide(DashboardLogin, () => ({
      explainMissing() {
        if (accounts.list().length > 0 || ctx.config.oidc) return undefined
        return 'Set a password with `svc dashboard password`, or name an OpenID provider in dashboard.login.oidc; or listen on 127.0.0.1.'
      },
      check: (request, client) => visits.find(request, client),
      record({ name: secret, address, route, refusal: code }) {
        deps.audit(code === undefined ? 'token_auth_success' : 'token_auth_failure', { secret, address, route, code })
      },
    }))
    for (const route of loginRoutes(deps)) ctx.add(DashboardRoutes, route)
    for (const command of loginCommands(deps)) ctx.add(CliCommands, command)
    ctx.add(LogFiles, { name: 'dashboard-auth', title: 'Logins of the dashboard', path })
    if (ctx.process.role === 'command') return
    // Another process may have ended logins, and time ends them, too.
    logins.onChange(() => visits.sweep())
    ctx.every(SWEEP_MS, () => visits.sweep())
  },
})

function createDeps(ctx: PluginContext<Config>, path: string): LoginDeps {
  const clock = () => ctx.use(Clock)
  const random = () => ctx.use(Random)
  const audit = createAudit({ path, now: () => clock().now(), mask: (text) => ctx.use(Secrets).mask(text) })
  const { idle_hours: hours, max_days: days, oidc } = ctx.config
  const idleMs = hours * 3_600_000
  const maxMs = days * 86_400_000
  const state = ctx.state('logins', { schema: loginsSchema, initial: [] })
  const logins = new Logins({ state, clock, random, idleMs, maxMs })
  const secret = () => ctx.use(Secrets).get('SVC_DASHBOARD_OIDC_SECRET')
  return {
    ...{ ctx, audit, logins },
    accounts: new Accounts(ctx.state('accounts', { schema: accountsSchema, initial: [] })),
    attempts: new Attempts(() => clock().monotonic()),
    visits: new Visits({ logins, audit, cookieSeconds: maxMs / 1000 }),
    oidc: oidc && new OidcLogin({ config: oidc, secret, random, clock, net: () => ctx.use(Net) }),
  }
}
