/** The routes of the server itself: how it is, and tickets. */
import { Clock, type PluginContext, SvcError } from 'svc/sdk'
import { DashboardLogin, type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { z } from 'zod'
import type { Config } from './config.ts'
import { type Credentials, TICKET_MS } from './credentials.ts'
import { createGatewayReader } from './gateway-state.ts'
import { hasHeaderToken } from './locks.ts'
import { describeRoutes } from './openapi.ts'
import { listRoutes } from './routes.ts'

const statusSchema = z.object({
  version: z.string(),
  status: z.literal('ok'),
  auth_required: z.boolean(),
  gateway_running: z.boolean(),
  gateway_state: z.string().nullable(),
  gateway_busy: z.boolean().meta({ description: 'Turns are under way in it.' }),
  gateway_drainable: z.boolean().meta({ description: 'It can be told to begin no turns.' }),
  uptime_seconds: z.number(),
})

const ticketSchema = z.object({ ticket: z.string(), expires_in: z.number() })

const formatTicket = (ticket: string) => ({ ticket, expires_in: TICKET_MS / 1000 })

interface OwnRoutesDeps {
  readonly credentials: () => Credentials
}

export function ownRoutes(ctx: PluginContext<Config>, deps: OwnRoutesDeps): readonly DashboardRoute[] {
  const readGateway = createGatewayReader(ctx)
  const startedAt = ctx.use(Clock).monotonic()
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/status',
      summary: 'Whether the server is there, for programs that wait for it',
      auth: 'public',
      response: statusSchema,
      async handle({ client }) {
        const gateway = await readGateway()
        return {
          version: ctx.use(Plugins).info(ctx.name)?.manifest.version ?? '',
          status: 'ok' as const,
          auth_required: client.isLoginRequired,
          gateway_running: gateway !== undefined,
          gateway_state: gateway?.state ?? null,
          gateway_busy: (gateway?.busy ?? 0) > 0,
          gateway_drainable: gateway?.isDrainable ?? false,
          uptime_seconds: Math.floor((ctx.use(Clock).monotonic() - startedAt) / 1000),
        }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/openapi.json',
      summary: 'The description of this interface',
      handle: () => describeRoutes(listRoutes(ctx), ctx.use(Plugins).info(ctx.name)?.manifest.version ?? ''),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/auth/ws-ticket',
      summary: 'A ticket that opens one WebSocket or one download within half a minute',
      response: ticketSchema,
      async handle({ http, client }) {
        const credentials = deps.credentials()
        if (hasHeaderToken(http, { credentials })) return formatTicket(credentials.createTicket())
        const visit = await ctx.find(DashboardLogin)?.check(http, client)
        if (!visit) throw new SvcError('DASHBOARD_LOGIN_ENDED', 'The login has ended. Sign in again.', { status: 401 })
        return formatTicket(credentials.createTicket(visit.signal))
      },
    }),
  ]
}
