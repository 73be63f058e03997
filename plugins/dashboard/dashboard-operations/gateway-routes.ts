/** The gateway as a process: how it is, and starting, stopping and restarting it. */
import { Clock, type PluginContext, Secrets } from 'svc/sdk'
import { DASHBOARD_VARIABLES, type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { requireService } from 'svc/sdk/kit/net'
import { GatewayProcess } from 'svc/sdk/operations'
import { z } from 'zod'
import { type Action, Actions } from './actions.ts'

const VERBS = { start: 'Starts', stop: 'Stops', restart: 'Restarts' } as const
/** What a launcher gave this process is not for another one. */
const ENVIRONMENT = Object.fromEntries(Object.values(DASHBOARD_VARIABLES).map((name) => [name, undefined]))

const begun = z.object({
  ok: z.literal(true),
  pid: z.number().meta({ description: 'The process that does it.' }),
  name: z.string().meta({ description: 'As GET /api/actions/NAME/status takes it.' }),
  started_at: z.number(),
})
const platformSchema = z.object({
  name: z.string(),
  label: z.string(),
  state: z.string(),
  reason: z.string().nullable(),
})
const statusSchema = z.object({
  running: z.boolean(),
  state: z.enum(['starting', 'running', 'degraded', 'draining', 'stopped', 'startup_failed']),
  ready: z.boolean(),
  pid: z.number().nullable(),
  supervisor: z.number().nullable(),
  started_at: z.number().nullable(),
  ended_at: z.number().nullable(),
  exit_reason: z.string().nullable(),
  busy: z.number().meta({ description: 'Turns under way.' }),
  ending: z.enum(['stop', 'restart']).nullable(),
  serves_dashboard: z.boolean().meta({ description: 'The dashboard ends with it.' }),
  platforms: z.array(platformSchema),
  action: z.string().nullable().meta({ description: 'The action that was begun last.' }),
})
const actionSchema = z.object({
  name: z.string(),
  running: z.boolean(),
  exit_code: z.number().nullable(),
  pid: z.number(),
  started_at: z.number(),
  ended_at: z.number().nullable(),
  lines: z.array(z.string()),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
})

export function gatewayRoutes(ctx: PluginContext<undefined>): readonly DashboardRoute[] {
  const actions = new Actions({ clock: () => ctx.use(Clock), secrets: () => ctx.use(Secrets), log: ctx.log })
  const find = async () => requireService(await ctx.use(Plugins).bring(GatewayProcess), GatewayProcess.id)
  const change = (verb: keyof typeof VERBS) =>
    defineDashboardRoute({
      method: 'POST',
      path: `/api/gateway/${verb}`,
      summary: `${VERBS[verb]} the gateway, in the background; GET /api/actions/gateway-${verb}/status follows it`,
      body: z.strictObject({}),
      response: begun,
      async handle() {
        const gateway = await find()
        const name = `gateway-${verb}`
        const { startedAt } = actions.begin(name, (report) => gateway[verb]({ report, environment: ENVIRONMENT }))
        return { ok: true as const, pid: process.pid, name, started_at: startedAt }
      },
    })
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/gateway/status',
      summary: 'How the gateway is, or why it does not run',
      response: statusSchema,
      async handle() {
        const now = await (await find()).status()
        return {
          ...{ running: now.isRunning, state: now.state, ready: now.isReady, busy: now.busy },
          pid: now.pid ?? null,
          supervisor: now.supervisor ?? null,
          started_at: now.startedAt ?? null,
          ended_at: now.isRunning ? null : (now.endedAt ?? null),
          exit_reason: now.exitReason ?? null,
          ending: now.ending ?? null,
          serves_dashboard: now.pid === process.pid,
          platforms: now.platforms.map(({ name, label, state, reason }) => ({
            ...{ name, label, state },
            reason: reason ?? null,
          })),
          action: actions.last?.name ?? null,
        }
      },
    }),
    change('start'),
    change('stop'),
    change('restart'),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/actions/:name/status',
      summary: 'How an action goes that outlasts its request, and the last lines that it wrote',
      query: z.object({ lines: z.coerce.number().int().min(0).max(500).default(200) }),
      response: actionSchema,
      handle: ({ params, query }) => toAction(actions.get(params['name'] ?? ''), query.lines),
    }),
  ]
}

function toAction({ name, startedAt, endedAt, lines, error }: Action, most: number): z.infer<typeof actionSchema> {
  const isRunning = endedAt === undefined
  return {
    ...{ name, running: isRunning, pid: process.pid, started_at: startedAt },
    exit_code: isRunning ? null : error ? 1 : 0,
    ended_at: endedAt ?? null,
    lines: most === 0 ? [] : lines.slice(-most),
    error: error ?? null,
  }
}
