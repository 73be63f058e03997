/** Models: the one in use, those there are, and the choice of one. */
import { Config, errorCode, errorMessage, logFault, Models, type PluginContext, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { ConfigFile } from 'svc/sdk/host'
import { withStatus } from 'svc/sdk/kit/net'
import { type ModelInfo, type ModelProvider, Providers } from 'svc/sdk/provider'
import { z } from 'zod'
import { providerRoutes } from './provider-routes.ts'
import { STATUSES } from './statuses.ts'

type Context = PluginContext<undefined>

const BY = { author: 'dashboard', reason: 'chosen in the dashboard' }
/** A provider that does not answer is listed without models. */
const LIST_MS = 5000

const capabilities = z.object({
  context_window: z.number().nullable(),
  max_output_tokens: z.number().nullable(),
  vision: z.boolean().nullable(),
  tools: z.boolean().nullable(),
  reasoning: z.boolean().nullable(),
  input_price: z.number().nullable(),
  output_price: z.number().nullable(),
})
const providerSchema = z.object({
  slug: z.string(),
  name: z.string(),
  models: z.array(z.string()),
  total_models: z.number(),
  is_current: z.boolean(),
  authenticated: z.boolean(),
  local: z.boolean(),
  auth_type: z.string().nullable(),
  key_env: z.array(z.string()),
  warning: z.string().nullable(),
  capabilities: z.record(z.string(), capabilities),
})

export function modelRoutes(ctx: Context): readonly DashboardRoute[] {
  return [infoRoute(ctx), optionsRoute(ctx), setRoute(ctx), auxiliaryRoute(ctx), ...providerRoutes(ctx)]
}

function infoRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/model/info',
    summary: 'The model that answers, as the agent chooses it, or why none can',
    response: z.object({
      ok: z.boolean(),
      provider: z.string().nullable(),
      model: z.string().nullable(),
      source: z.string().nullable(),
      error: z.string().nullable(),
      code: z.string().nullable(),
      capabilities: capabilities.nullable(),
    }),
    async handle() {
      try {
        const { provider, model, source } = await ctx.use(Models).choose({ withoutDemo: true })
        const info = ctx.use(Models).describe({ provider: provider.name, model })
        const none = { error: null, code: null }
        return { ok: true, provider: provider.name, model, source, ...none, capabilities: toCapabilities(info) }
      } catch (error) {
        if (!(error instanceof SvcError)) throw error
        logFault(ctx.log, 'no model can answer', error)
        const none = { provider: null, model: null, source: null, capabilities: null }
        return { ok: false, ...none, error: errorMessage(error), code: errorCode(error) }
      }
    },
  })
}

function optionsRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/model/options',
    summary: 'Providers with their models; those that cannot be used have no models, unless they are asked for',
    query: z.object({
      include_unconfigured: z.enum(['true', 'false', '1', '0']).default('true'),
      provider: z.string().optional().meta({ description: 'Only this one, also if it is not set up.' }),
    }),
    response: z.object({
      providers: z.array(providerSchema),
      provider: z.string().nullable(),
      model: z.string().nullable(),
    }),
    async handle({ query, signal }) {
      const config = ctx.use(Config)
      const [provider, model] = [config.get('model.provider'), config.get('model.default')]
      const wanted = [...ctx.all(Providers).all()].filter(
        ({ name }) => query.provider === undefined || name === query.provider,
      )
      const described = await Promise.all(wanted.map((each) => describeProvider(ctx, each, provider, signal)))
      const all = query.include_unconfigured === 'true' || query.include_unconfigured === '1'
      const text = (value: unknown) => (typeof value === 'string' ? value : null)
      return {
        providers: described.filter(({ authenticated, is_current }) => all || authenticated || is_current),
        provider: text(provider),
        model: text(model),
      }
    },
  })
}

async function describeProvider(
  ctx: Context,
  provider: ModelProvider,
  current: unknown,
  signal: AbortSignal,
): Promise<z.infer<typeof providerSchema>> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)])
  const { name, label, auth } = provider
  let warning: string | null = null
  const fail = (what: string) => (error: unknown) => {
    logFault(ctx.log, what, error, name)
    warning = errorMessage(error)
    return undefined
  }
  const status = await provider.status(limited).catch(fail('a provider could not tell how it is'))
  const ready = status?.ready === true
  const listed = ready
    ? await ctx.use(Models).list(name).catch(fail('a provider could not list its models'))
    : undefined
  const models = listed ?? []
  return {
    slug: name,
    name: label,
    models: models.map(({ id }) => id),
    total_models: models.length,
    is_current: name === current || provider.aliases?.includes(String(current)) === true,
    authenticated: ready,
    local: status?.local === true,
    auth_type: auth?.type ?? null,
    key_env: [...(auth?.keyNames ?? [])],
    warning: warning ?? (ready ? null : (status?.detail ?? null)),
    capabilities: Object.fromEntries(models.map((info) => [info.id, toCapabilities(info)])),
  }
}

function toCapabilities(info: ModelInfo): z.infer<typeof capabilities> {
  return {
    context_window: info.contextWindow ?? null,
    max_output_tokens: info.maxOutputTokens ?? null,
    vision: info.images ?? null,
    tools: info.tools ?? null,
    reasoning: info.reasoning ?? null,
    input_price: info.price?.input ?? null,
    output_price: info.price?.output ?? null,
  }
}

function setRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'POST',
    path: '/api/model/set',
    summary: 'Writes the default model into config.yaml, or that of a slot for side work',
    body: z.object({
      scope: z.enum(['main', 'auxiliary']).default('main'),
      provider: z.string().min(1).nullable(),
      model: z.string().min(1).nullable(),
      task: z
        .string()
        .regex(/^[a-z_]{1,60}$/)
        .optional()
        .meta({ description: 'The slot, with scope `auxiliary`.' }),
    }),
    response: z.object({
      ok: z.literal(true),
      scope: z.string(),
      provider: z.string().nullable(),
      model: z.string().nullable(),
      change: z.number().nullable(),
    }),
    handle: ({ body: { scope, provider, model, task } }) =>
      withStatus(STATUSES, async () => {
        checkChoice(ctx, { scope, provider, task })
        const edits = listEdits({ scope, provider, model, task })
        const change = await ctx.use(ConfigFile).write(edits, BY)
        return { ok: true as const, scope, provider, model, change: change?.id ?? null }
      }),
  })
}

interface Choice {
  readonly scope: 'main' | 'auxiliary'
  readonly provider: string | null
  readonly model: string | null
  readonly task?: string | undefined
}

/** Throws `DASHBOARD_PROVIDER`. */
function checkChoice(ctx: Context, { scope, provider, task }: Omit<Choice, 'model'>): void {
  if (provider !== null && provider !== 'auto' && !ctx.all(Providers).get(provider))
    throw new SvcError('DASHBOARD_PROVIDER', `There is no provider "${provider}".`, { status: 400 })
  if (scope === 'auxiliary' && task === undefined)
    throw new SvcError('DASHBOARD_PROVIDER', 'Name the slot in `task`.', { status: 400, param: 'task' })
}

function listEdits({ scope, provider, model, task }: Choice) {
  const block = scope === 'main' ? 'model' : `auxiliary.${task}`
  return [
    { path: `${block}.provider`, value: provider ?? undefined },
    { path: `${block}.${scope === 'main' ? 'default' : 'model'}`, value: model ?? undefined },
  ]
}

function auxiliaryRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/model/auxiliary',
    summary: 'The models of side work, by slot',
    response: z.object({
      tasks: z.array(z.object({ task: z.string(), provider: z.string().nullable(), model: z.string().nullable() })),
    }),
    async handle() {
      const keys = await ctx.use(ConfigFile).keys()
      const slots = new Map<string, { task: string; provider: string | null; model: string | null }>()
      for (const { path, value } of keys) {
        const [, task, field] = /^auxiliary\.([a-z_]+)\.(provider|model)$/.exec(path) ?? []
        if (task === undefined) continue
        const slot = slots.get(task) ?? { task, provider: null, model: null }
        slots.set(task, { ...slot, [field as string]: typeof value === 'string' ? value : null })
      }
      return { tasks: [...slots.values()] }
    },
  })
}
