/** The way to the OpenID provider and back. A failure is shown by the page: it gets the code, and the audit log the words. */
import { errorCode, errorMessage, SvcError } from 'svc/sdk'
import {
  type DashboardClient,
  type DashboardReply,
  type DashboardRoute,
  dashboardReply,
  defineDashboardRoute,
} from 'svc/sdk/dashboard'
import { z } from 'zod'
import { beginLogin, demandGate, toLocalPath } from './begin-login.ts'
import { readCookie, START_COOKIE, writeCookie } from './cookies.ts'
import type { LoginDeps } from './deps.ts'
import { START_SECONDS } from './oidc.ts'

const CALLBACK = '/api/auth/callback'

export function oidcRoutes(deps: LoginDeps): readonly DashboardRoute[] {
  const { audit } = deps
  const fail = (client: DashboardClient, error: unknown): DashboardReply => {
    const code = errorCode(error)
    if (!code.startsWith('LOGIN_')) throw error
    audit('login_failure', { provider: 'oidc', address: client.address, code, detail: errorMessage(error) })
    return redirect(`${client.url}/login?error=${code.toLowerCase()}`)
  }
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/auth/login',
      summary: 'Lead the browser to the OpenID provider',
      auth: 'public',
      query: z.object({ provider: z.string().default('oidc'), next: z.string().optional() }),
      async handle({ client, query: { provider, next } }) {
        demandGate(client)
        const oidc = provider === 'oidc' ? deps.oidc : undefined
        if (!oidc) {
          const text = 'There is no such way to sign in. GET /api/auth/providers lists them.'
          throw new SvcError('LOGIN_PROVIDER_UNKNOWN', text, { status: 404 })
        }
        audit('login_start', { provider: 'oidc', address: client.address })
        try {
          const { url, browser } = await oidc.start(`${client.url}${CALLBACK}`, toLocalPath(next))
          return redirect(url, { 'set-cookie': writeCookie(START_COOKIE, client, browser, START_SECONDS) })
        } catch (error) {
          return fail(client, error)
        }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: CALLBACK,
      summary: 'Where the OpenID provider sends the browser back to',
      auth: 'public',
      async handle({ http, client }) {
        demandGate(client)
        try {
          const browser = readCookie(START_COOKIE, http, client)
          if (!deps.oidc) throw new SvcError('LOGIN_STATE', 'No OpenID provider is configured.', { status: 400 })
          const { user, next } = await deps.oidc.finish(http.query, browser)
          const headers = await beginLogin(deps, { user, provider: 'oidc' }, { http, client })
          return redirect(`${client.url}${next}`, headers)
        } catch (error) {
          return fail(client, error)
        }
      },
    }),
  ]
}

function redirect(location: string, headers: Readonly<Record<string, string>> = {}): DashboardReply {
  return dashboardReply({ status: 303, headers: { location, ...headers } })
}
