/** Who does the work of a toolset: the choice, and the variables that those read who can be chosen. */
import { Config, type PluginContext, Secrets, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { ConfigFile, Plugins, Toolsets } from 'svc/sdk/host'
import { requireService, withStatus } from 'svc/sdk/kit/net'
import { type ToolsetBackend, type ToolsetChoice, ToolsetChoices } from 'svc/sdk/operations'
import { z } from 'zod'
import { STATUSES } from './statuses.ts'

type Context = PluginContext<undefined>

const BY = { author: 'dashboard', reason: 'settings of a toolset' }

const variableSchema = z.object({
  ...{ key: z.string(), prompt: z.string() },
  ...{ is_password: z.boolean(), is_set: z.boolean() },
})
const configSchema = z.object({
  name: z.string(),
  has_category: z.boolean().meta({ description: 'Whether there is something to choose.' }),
  setting: z.string().nullable().meta({ description: 'In config.yaml.' }),
  active_provider: z.string().nullable().meta({ description: 'null: the first that can.' }),
  providers: z.array(
    z.object({
      ...{ name: z.string(), label: z.string(), is_active: z.boolean() },
      missing: z.string().nullable().meta({ description: 'Why it cannot be used now.' }),
      env_vars: z.array(variableSchema),
    }),
  ),
})

export function toolsetConfigRoutes(ctx: Context): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/tools/toolsets/:name/config',
      summary:
        'Who can do the work of a toolset, who was chosen, and the variables that they read; values are not told',
      response: configSchema,
      handle: ({ params }) => describe(ctx, params['name'] ?? ''),
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/tools/toolsets/:name/provider',
      summary: 'Chooses who does the work of a toolset; null: the first that can',
      body: z.strictObject({ provider: z.string().min(1).max(100).nullable() }),
      response: configSchema,
      handle: ({ params, body: { provider } }) =>
        withStatus(STATUSES, async () => {
          const { name, setting, backends } = requireChoice(ctx, params['name'] ?? '')
          if (provider !== null && !backends().some((each) => each.name === provider))
            throw new SvcError('DASHBOARD_TOOLSET', `Nothing called "${provider}" does the work of ${name}.`, {
              status: 400,
            })
          await ctx.use(ConfigFile).write([{ path: setting, value: provider ?? undefined }], BY)
          await ctx.use(Plugins).applyConfig()
          return describe(ctx, name)
        }),
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/tools/toolsets/:name/env',
      summary: 'Sets variables in .env that those read who can do the work of a toolset; others are refused',
      body: z.strictObject({ env: z.record(z.string(), z.string().min(1).max(65_536)) }),
      response: z.object({ ok: z.literal(true), name: z.string(), saved: z.array(z.string()) }),
      handle: ({ params, body: { env } }) =>
        withStatus(STATUSES, async () => {
          const choice = requireChoice(ctx, params['name'] ?? '')
          const known = new Set(choice.backends().flatMap((each) => listVariables(ctx, each).map(({ key }) => key)))
          const other = Object.keys(env).find((key) => !known.has(key))
          if (other !== undefined)
            throw new SvcError('DASHBOARD_TOOLSET', `Nothing that does the work of ${choice.name} reads ${other}.`, {
              ...{ status: 400, param: other },
            })
          const edits = Object.entries(env).map(([path, value]) => ({ path, value }))
          if (edits.length > 0) await ctx.use(ConfigFile).write(edits, BY)
          await ctx.use(Plugins).applyConfig()
          return { ok: true as const, name: choice.name, saved: Object.keys(env) }
        }),
    }),
  ]
}

function describe(ctx: Context, name: string): z.infer<typeof configSchema> {
  const choice = findChoice(ctx, name)
  if (!choice) return { name, has_category: false, setting: null, active_provider: null, providers: [] }
  const chosen = ctx.use(Config).get(choice.setting)
  const active = typeof chosen === 'string' && chosen !== '' ? chosen : null
  const providers = choice.backends().map((each) => ({
    ...{ name: each.name, label: each.label, missing: each.missing ?? null },
    ...{ is_active: each.name === active, env_vars: listVariables(ctx, each) },
  }))
  return { name, has_category: true, setting: choice.setting, active_provider: active, providers }
}

/** Those that the plugin of a backend reads. */
function listVariables(ctx: Context, { plugin }: ToolsetBackend): z.infer<typeof variableSchema>[] {
  const { env = [] } = (plugin === undefined ? undefined : ctx.use(Plugins).info(plugin)?.manifest) ?? {}
  return env.map(({ name, description, secret }) => ({
    ...{ key: name, prompt: description, is_password: secret === true },
    is_set: ctx.use(Secrets).get(name) !== undefined,
  }))
}

/** Undefined for a toolset without a choice. Throws `DASHBOARD_TOOLSET` for what is not a toolset. */
function findChoice(ctx: Context, name: string): ToolsetChoice | undefined {
  const choice = ctx.all(ToolsetChoices).get(name)
  if (choice) return choice
  const toolsets = requireService(ctx.find(Toolsets), Toolsets.id).list('cli')
  if (toolsets.some((toolset) => toolset.name === name)) return undefined
  throw new SvcError('DASHBOARD_TOOLSET', `There is no toolset "${name}".`, { status: 404 })
}

function requireChoice(ctx: Context, name: string): ToolsetChoice {
  const choice = findChoice(ctx, name)
  if (choice) return choice
  throw new SvcError('DASHBOARD_TOOLSET', `The toolset ${name} has nothing to choose.`, { status: 409 })
}
