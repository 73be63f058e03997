/** The routes of signing in. The pages of the web UI have no others. */
import { SvcError } from 'svc/sdk'
import { type DashboardRoute, dashboardReply, defineDashboardRoute } from 'svc/sdk/dashboard'
import { jsonResponse } from 'svc/sdk/web'
import { z } from 'zod'
import { beginLogin, demandGate, toLocalPath } from './begin-login.ts'
import type { LoginDeps } from './deps.ts'
import { oidcRoutes } from './oidc-routes.ts'
import { sessionRoutes } from './session-routes.ts'

const providersSchema = z.object({
  providers: z.array(z.object({ name: z.string(), display_name: z.string(), supports_password: z.boolean() })),
})

export function loginRoutes(deps: LoginDeps): readonly DashboardRoute[] {
  return [providersRoute(deps), passwordRoute(deps), ...oidcRoutes(deps), ...sessionRoutes(deps)]
}

function providersRoute({ accounts, ctx }: LoginDeps): DashboardRoute {
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/auth/providers',
    summary: 'The ways to sign in',
    auth: 'public',
    response: providersSchema,
    handle({ client }) {
      const { oidc } = ctx.config
      const isOpen = client.isLoginRequired
      const hasPasswords = isOpen && accounts.list().length > 0
      const password = { name: 'password', display_name: 'Password', supports_password: true }
      return {
        providers: [
          ...(hasPasswords ? [password] : []),
          ...(isOpen && oidc ? [{ name: 'oidc', display_name: oidc.name, supports_password: false }] : []),
        ],
      }
    },
  })
}

function passwordRoute(deps: LoginDeps): DashboardRoute {
  const { accounts, attempts, audit } = deps
  return defineDashboardRoute({
    method: 'POST',
    path: '/api/auth/password-login',
    summary: 'Sign in with a password; the reply has the cookie',
    auth: 'public',
    maxBytes: 16_384,
    body: z.object({
      username: z.string().min(1).max(200),
      password: z.string().min(1).max(1024),
      /** Where the page leads then. */
      next: z.string().optional(),
    }),
    response: z.object({ ok: z.literal(true), next: z.string() }),
    async handle({ http, client, body: { username, password, next } }) {
      demandGate(client)
      const { address } = client
      const waitMs = attempts.begin(address, username)
      if (waitMs > 0) {
        audit('login_locked', { user: username, provider: 'password', address })
        const seconds = Math.ceil(waitMs / 1000)
        const text = `Too many logins failed. Try again in ${seconds} seconds.`
        const reply = jsonResponse({ detail: text, code: 'login_locked' }, 429, { 'retry-after': String(seconds) })
        return dashboardReply(reply)
      }
      if (!(await accounts.isRight(username, password))) {
        audit('login_failure', { user: username, provider: 'password', address, code: 'LOGIN_REFUSED' })
        throw new SvcError('LOGIN_REFUSED', 'The name or the password is wrong.', { status: 401 })
      }
      attempts.succeed(address, username)
      const headers = await beginLogin(deps, { user: username, provider: 'password' }, { http, client })
      return dashboardReply(jsonResponse({ ok: true, next: toLocalPath(next) }, 200, headers))
    },
  })
}
