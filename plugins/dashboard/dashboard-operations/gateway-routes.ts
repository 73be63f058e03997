/** The gateway as a process: how it is, and starting, stopping and restarting it. */
import { type PluginContext, Secrets } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { requireService, withStatus } from 'svc/sdk/kit/net'
import { GatewayProcess } from 'svc/sdk/operations'
import { z } from 'zod'
import { begunSchema } from './action-routes.ts'
import type { Actions } from './actions.ts'
import { ENVIRONMENT } from './own-command.ts'
import { STATUSES } from './statuses.ts'

/** One of them at a time. */
const GROUP = 'gateway'
const VERBS = { start: 'Starts', stop: 'Stops', restart: 'Restarts' } as const

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
  drained_at: z.number().nullable().meta({ description: 'It begins no turns, since then.' }),
  action: z.string().nullable().meta({ description: 'The action that was begun last.' }),
})
export function gatewayRoutes(ctx: PluginContext<undefined>, actions: Actions): readonly DashboardRoute[] {
  const find = async () => requireService(await ctx.use(Plugins).bring(GatewayProcess), GatewayProcess.id)
  const change = (verb: keyof typeof VERBS) =>
    defineDashboardRoute({
      method: 'POST',
      path: `/api/gateway/${verb}`,
      summary: `${VERBS[verb]} the gateway, in the background; GET /api/actions/gateway-${verb}/status follows it`,
      body: z.strictObject({}),
      response: begunSchema,
      async handle() {
        const gateway = await find()
        const name = `gateway-${verb}`
        const { startedAt } = actions.begin(
          name,
          ({ line }) => gateway[verb]({ report: line, environment: ENVIRONMENT }),
          GROUP,
        )
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
          drained_at: now.drainedAt ?? null,
          serves_dashboard: now.pid === process.pid,
          platforms: now.platforms.map(({ name, label, state, reason }) => ({
            ...{ name, label, state },
            reason: reason ?? null,
          })),
          action: actions.last(GROUP)?.name ?? null,
        }
      },
    }),
    drainRoute(ctx, find),
    change('start'),
    change('stop'),
    change('restart'),
  ]
}

const drainBody = z.strictObject({
  action: z.enum(['drain', 'cancel']),
  suppress_notification: z.boolean().default(false).meta({ description: 'Chats that write meanwhile are not told.' }),
})
const drainSchema = z.union([
  z.object({
    ok: z.literal(true),
    action: z.literal('drain'),
    requested_at: z.number(),
    draining: z.boolean().meta({ description: 'Turns are still under way.' }),
    busy: z.number().meta({ description: 'Turns under way.' }),
  }),
  z.object({ ok: z.literal(true), action: z.literal('cancel'), was_draining: z.boolean() }),
])

function drainRoute(ctx: PluginContext<undefined>, find: () => Promise<GatewayProcess>): DashboardRoute {
  return defineDashboardRoute({
    method: 'POST',
    path: '/api/gateway/drain',
    summary: 'Lets the gateway begin no turns while those under way end, or takes that back',
    secret: { name: 'drain', read: () => ctx.use(Secrets).get('SVC_GATEWAY_DRAIN_SECRET') },
    body: drainBody,
    response: drainSchema,
    handle: ({ body: { action, suppress_notification: isQuiet } }) =>
      withStatus(STATUSES, async () => {
        const gateway = await find()
        if (action === 'cancel') {
          const { wasDraining } = await gateway.cancelDrain()
          return { ok: true as const, action, was_draining: wasDraining }
        }
        const { drainedAt, busy } = await gateway.drain({ isQuiet })
        return { ok: true as const, action, requested_at: drainedAt, draining: busy > 0, busy }
      }),
  })
}
