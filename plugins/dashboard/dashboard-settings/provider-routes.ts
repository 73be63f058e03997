/** Providers: whether one answers with what is stored for it, and the model that it is used with when none is named. */
import { errorMessage, logFault, Models, type PluginContext, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { withStatus } from 'svc/sdk/kit/net'
import { Providers } from 'svc/sdk/provider'
import { z } from 'zod'
import { STATUSES } from './statuses.ts'

type Context = PluginContext<undefined>

const ASK_MS = 15_000
const MAX_MODELS = 500
const provider = z.string().min(1).max(200)

export function providerRoutes(ctx: Context): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'POST',
      path: '/api/providers/validate',
      summary: 'Asks a provider for its models with the stored key or sign-in; a refusal is an answer, too',
      body: z.object({ provider }),
      response: z.object({
        ok: z.boolean(),
        message: z.string(),
        models: z.array(z.string()),
      }),
      async handle({ body, signal }) {
        const found = findProvider(ctx, body.provider)
        const limited = AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)])
        const none = { ok: false, models: [] }
        try {
          const { ready, detail } = await found.status(limited)
          if (!ready) return { ...none, message: detail }
          const models = (await found.models(limited)).map(({ id }) => id)
          return { ok: true, message: detail, models: models.slice(0, MAX_MODELS) }
        } catch (error) {
          signal.throwIfAborted()
          logFault(ctx.log, 'a provider did not list its models', error, found.name)
          return { ...none, message: errorMessage(error) }
        }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/model/recommended-default',
      summary: 'The model that a provider is used with when none is named',
      query: z.object({ provider }),
      response: z.object({ provider: z.string(), model: z.string() }),
      handle: ({ query }) =>
        withStatus(STATUSES, async () => {
          const { name } = findProvider(ctx, query.provider)
          const { model } = await ctx.use(Models).choose({ provider: name, withoutDemo: true })
          return { provider: name, model }
        }),
    }),
  ]
}

/** Throws `DASHBOARD_PROVIDER`. */
function findProvider(ctx: Context, name: string) {
  const found = ctx.all(Providers).get(name)
  if (found) return found
  throw new SvcError('DASHBOARD_PROVIDER', `There is no provider "${name}".`, { status: 404 })
}
