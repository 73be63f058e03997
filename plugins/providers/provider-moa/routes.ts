/** The mixtures for the dashboard: which models answer together, read and set. */
import { type PluginContext, Config as Settings, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { type ConfigEdit, ConfigFile, Plugins } from 'svc/sdk/host'
import { requireService } from 'svc/sdk/kit/net'
import { Providers } from 'svc/sdk/provider'
import { z } from 'zod'
import { type Config, config, type ModelName, NAME } from './config.ts'
import { formatModel } from './presets.ts'

const BY = { author: 'dashboard', reason: 'mixture set in the dashboard' }
const PATH = '/api/model/moa'

const moaSchema = z.object({
  default_preset: z.string().meta({ description: 'The preset that `/moa` uses.' }),
  active_preset: z
    .string()
    .nullable()
    .meta({ description: 'The one that answers now; null: the model in use is no mixture.' }),
  presets: config.shape.presets.unwrap(),
})
const changeSchema = z.strictObject({
  default_preset: z.string().min(1).max(64).optional(),
  presets: config.shape.presets
    .unwrap()
    .optional()
    .meta({ description: 'All of them: one that is left out is removed.' }),
})

export function moaRoutes(ctx: PluginContext<Config>): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      ...{ method: 'GET' as const, path: PATH, summary: 'The mixtures of models that answer together' },
      response: moaSchema,
      handle: () => describe(ctx, ctx.config),
    }),
    defineDashboardRoute({
      ...{ method: 'PUT' as const, path: PATH, summary: 'Sets the mixtures, or the one that /moa uses' },
      body: changeSchema,
      response: moaSchema,
      async handle({ body }) {
        const now = ctx.config
        const next = {
          default_preset: body.default_preset ?? now.default_preset,
          presets: body.presets ?? now.presets,
        }
        requireUsable(ctx, next, body.presets !== undefined)
        const edits: ConfigEdit[] = [
          ...(body.default_preset === undefined ? [] : [{ path: 'moa.default_preset', value: body.default_preset }]),
          ...(body.presets === undefined ? [] : [{ path: 'moa.presets', value: body.presets }]),
        ]
        if (edits.length > 0) {
          await requireService(ctx.find(ConfigFile), ConfigFile.id).write(edits, BY)
          // The next request is judged by what was written.
          await ctx.use(Plugins).applyConfig()
        }
        return describe(ctx, next)
      },
    }),
  ]
}

function describe(ctx: PluginContext<Config>, { default_preset, presets }: Config): z.infer<typeof moaSchema> {
  const settings = ctx.use(Settings)
  const isActive = settings.get('model.provider') === NAME
  const active = settings.get('model.default')
  return { default_preset, active_preset: isActive && typeof active === 'string' ? active : null, presets }
}

/** Throws `MOA_PRESET` for a preset that could not answer. */
function requireUsable(ctx: PluginContext<Config>, { default_preset: name, presets }: Config, isNew: boolean): void {
  const refuse = (text: string) => new SvcError('MOA_PRESET', text, { status: 400 })
  if (!Object.hasOwn(presets, name) && (isNew ? Object.keys(presets).length > 0 : true))
    throw refuse(`There is no preset ${JSON.stringify(name)}. There are: ${Object.keys(presets).join(', ') || 'none'}.`)
  if (!isNew) return
  for (const [preset, { reference_models, aggregator }] of Object.entries(presets))
    for (const model of [...reference_models, aggregator]) requireModel(ctx, preset, model, refuse)
}

function requireModel(
  ctx: PluginContext<Config>,
  preset: string,
  model: ModelName,
  refuse: (text: string) => SvcError,
): void {
  if (model.provider === NAME)
    throw refuse(`${preset}: a mixture cannot be one of its own models: ${formatModel(model)}.`)
  if (ctx.all(Providers).get(model.provider)) return
  throw refuse(`${preset}: there is no provider ${JSON.stringify(model.provider)}. Name one of svc models.`)
}
