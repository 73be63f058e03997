/** Messages that leave, and what became of a message from its arrival on. */
import { type PluginContext, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { requireService } from 'svc/sdk/kit/net'
import { Outbox } from 'svc/sdk/platform'
import { Traces } from 'svc/sdk/sessions'
import { z } from 'zod'

const STATES = ['pending', 'attempting', 'delivered', 'uncertain', 'failed'] as const

const deliverySchema = z.object({
  id: z.string(),
  key: z.string(),
  platform: z.string(),
  chat_id: z.string(),
  state: z.string(),
  attempts: z.number(),
  error: z.string().nullable(),
  trace: z.string().nullable(),
  preview: z.string(),
  at: z.number(),
})

export function deliveryRoutes(ctx: PluginContext<undefined>): readonly DashboardRoute[] {
  const done = z.object({ ok: z.literal(true) })
  const ofState = (isDone: boolean) => {
    if (isDone) return { ok: true as const }
    throw new SvcError('DASHBOARD_DELIVERY', 'There is no delivery of this id in a state that allows this.', {
      status: 409,
    })
  }
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/outbox',
      summary: 'Messages that leave, the newest first, and how many are in which state',
      query: z.object({
        state: z.enum(STATES).optional(),
        limit: z.coerce.number().int().min(1).max(500).default(100),
      }),
      response: z.object({ deliveries: z.array(deliverySchema), counts: z.record(z.string(), z.number()) }),
      async handle({ query: { state, limit } }) {
        const outbox = requireService(await ctx.use(Plugins).bring(Outbox), Outbox.id)
        const deliveries = outbox.deliveries({ limit, ...(state && { state }) })
        return {
          counts: { ...outbox.counts() },
          deliveries: deliveries.map(({ id, key, platform, chatId, attempts, error, trace, preview, at, ...each }) => ({
            ...{ id, key, platform, attempts, preview, at },
            state: each.state,
            chat_id: chatId,
            error: error ?? null,
            trace: trace ?? null,
          })),
        }
      },
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/outbox/:id/retry',
      summary: 'Sends an uncertain or failed message again',
      response: done,
      handle: async ({ params }) =>
        ofState(requireService(await ctx.use(Plugins).bring(Outbox), Outbox.id).retry(params['id'] ?? '')),
    }),
    defineDashboardRoute({
      method: 'DELETE',
      path: '/api/outbox/:id',
      summary: 'Gives up on a message that was not delivered',
      response: done,
      handle: async ({ params }) =>
        ofState(requireService(await ctx.use(Plugins).bring(Outbox), Outbox.id).drop(params['id'] ?? '')),
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/why/:id',
      summary: 'What became of a message, by its id, that of its turn or that of what was sent',
      response: z.object({
        trace: z.string(),
        stages: z.array(z.object({ at: z.number(), stage: z.string(), text: z.string() })),
      }),
      async handle({ params }) {
        const found = requireService(await ctx.use(Plugins).bring(Traces), Traces.id).of(params['id'] ?? '')
        if (!found) throw new SvcError('DASHBOARD_TRACE', 'Nothing is known of this id.', { status: 404 })
        return { trace: found.trace, stages: found.stages.map((stage) => ({ ...stage })) }
      },
    }),
  ]
}
