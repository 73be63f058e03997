/** Routes for people who are signed in. The holder of the token is no person, and has no login. */
import { type DashboardRoute, dashboardReply, defineDashboardRoute } from 'svc/sdk/dashboard'
import { jsonResponse } from 'svc/sdk/web'
import { z } from 'zod'
import type { LoginDeps } from './deps.ts'
import { getLoginName } from './logins.ts'

const meSchema = z.object({
  user_id: z.string(),
  display_name: z.string(),
  email: z.string().nullable(),
  /** `password`, `oidc`, or `token` for the holder of the session token. */
  provider: z.string(),
  /** Unix milliseconds. */
  expires_at: z.number().nullable(),
})

const sessionSchema = z.object({
  id: z.string(),
  user: z.string(),
  provider: z.string(),
  address: z.string(),
  agent: z.string(),
  created_at: z.number(),
  used_at: z.number(),
  is_current: z.boolean(),
})

export function sessionRoutes({ visits, logins, audit }: LoginDeps): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'POST',
      path: '/api/auth/logout',
      summary: 'Sign out: the login of the cookie ends, with all that is open by it',
      response: z.object({ ok: z.literal(true) }),
      async handle({ http, client }) {
        const visit = await visits.find(http, client)
        if (visit) {
          await logins.end(({ key }) => key === visit.login.key)
          visits.sweep()
          const { user, provider } = visit.login
          audit('logout', { user, provider, address: client.address, login: getLoginName(visit.login) })
        }
        return dashboardReply(jsonResponse({ ok: true }, 200, visits.setCookie(client, undefined)))
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/auth/me',
      summary: 'Who is signed in',
      response: meSchema,
      async handle({ http, client }) {
        const visit = await visits.find(http, client)
        const user = visit?.user ?? 'token'
        return {
          user_id: user,
          display_name: user,
          email: user.includes('@') ? user : null,
          provider: visit?.login.provider ?? 'token',
          expires_at: visit ? logins.endOf(visit.login) : null,
        }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/auth/sessions',
      summary: 'Logins that have not ended',
      response: z.object({ sessions: z.array(sessionSchema) }),
      async handle({ http, client }) {
        const visit = await visits.find(http, client)
        const sessions = logins.list().map((each) => ({
          ...{
            id: getLoginName(each),
            user: each.user,
            provider: each.provider,
            address: each.address,
            agent: each.agent,
          },
          ...{ created_at: each.createdAt, used_at: each.rotatedAt, is_current: each.key === visit?.login.key },
        }))
        return { sessions }
      },
    }),
    defineDashboardRoute({
      method: 'DELETE',
      path: '/api/auth/sessions',
      summary: 'End logins: all of all people, or one by its id',
      query: z.object({ id: z.string().optional() }),
      response: z.object({ ended: z.number() }),
      async handle({ http, client, query: { id } }) {
        const visit = await visits.find(http, client)
        const ended = await logins.end((each) => id === undefined || getLoginName(each) === id)
        visits.sweep()
        const detail = ended.map(getLoginName).join(' ')
        audit('logins_ended', { user: visit?.user ?? 'token', address: client.address, detail })
        return { ended: ended.length }
      },
    }),
  ]
}
