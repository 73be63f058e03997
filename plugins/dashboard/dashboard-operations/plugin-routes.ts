/** Plugins: what runs and why something does not, and switches for built-in ones. */
import { Config, type PluginContext, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { type ConfigEdit, ConfigFile, type PluginInfo, Plugins } from 'svc/sdk/host'
import { withStatus } from 'svc/sdk/kit/net'
import { z } from 'zod'
import { STATUSES } from './statuses.ts'

type Context = PluginContext<undefined>

const pluginSchema = z.object({
  name: z.string(),
  version: z.string(),
  kind: z.string(),
  description: z.string(),
  origin: z.string(),
  status: z.string(),
  reason: z.string().nullable(),
  can_switch: z.boolean(),
  is_disabled: z.boolean(),
  provides: z.array(z.string()),
})

export function pluginRoutes(ctx: Context): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/plugins',
      summary: 'All plugins, how each is, what went wrong, and the guards of gates',
      response: z.object({
        plugins: z.array(pluginSchema),
        problems: z.array(
          z.object({ plugin: z.string(), stage: z.string(), message: z.string(), code: z.string(), at: z.number() }),
        ),
        guards: z.array(z.object({ plugin: z.string(), state: z.string(), reason: z.string().nullable() })),
      }),
      handle() {
        const plugins = ctx.use(Plugins)
        const disabled = readList(ctx, 'plugins.disabled')
        return {
          plugins: plugins.list().map((info) => toPlugin(info, disabled)),
          problems: plugins
            .problems()
            .map(({ plugin, stage, message, code, at }) => ({ plugin, stage, message, code, at })),
          guards: plugins.guards().map(({ plugin, state, reason }) => ({ plugin, state, reason: reason ?? null })),
        }
      },
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/plugins/:name',
      summary: 'Switches a built-in plugin on or off, here at once and for every later start',
      body: z.object({ enabled: z.boolean() }),
      response: z.object({ ok: z.literal(true), plugin: pluginSchema }),
      handle: ({ params, body: { enabled } }) =>
        withStatus(STATUSES, async () => {
          const info = findSwitchable(ctx, params['name'] ?? '')
          const { name } = info.manifest
          const edits = listEdits(ctx, info.manifest, enabled)
          const what = enabled ? 'enable' : 'disable'
          await ctx.use(ConfigFile).write(edits, { author: 'dashboard', reason: `${what} the plugin ${name}` })
          await ctx.use(Plugins).applyConfig()
          return { ok: true as const, plugin: toPlugin(ctx.use(Plugins).info(name) ?? info, enabled ? [] : [name]) }
        }),
    }),
  ]
}

/** What puts a name into the lists of plugins, or takes it out. */
function listEdits(ctx: Context, { name, optIn }: PluginInfo['manifest'], enabled: boolean): ConfigEdit[] {
  const edit = (path: string, isListed: boolean) => {
    const others = readList(ctx, path).filter((each) => each !== name)
    const listed = isListed ? [...others, name] : others
    return { path, value: listed.length > 0 ? listed : undefined }
  }
  return [edit('plugins.disabled', !enabled), ...(optIn ? [edit('plugins.enabled', enabled)] : [])]
}

function toPlugin(
  { manifest, origin, status, reason }: PluginInfo,
  disabled: readonly string[],
): z.infer<typeof pluginSchema> {
  const { name, version, kind, description, permanent, provides = [] } = manifest
  const can_switch = origin === 'built-in' && permanent !== true && !manifest.guards?.length
  const is_disabled = disabled.includes(name)
  return {
    name,
    version,
    kind,
    description,
    origin,
    status,
    reason: reason ?? null,
    can_switch,
    is_disabled,
    provides: [...provides],
  }
}

/** The code of others is agreed to where it is shown, and guards are switched off by hand only. */
function findSwitchable(ctx: Context, name: string): PluginInfo {
  const info = ctx.use(Plugins).info(name)
  if (!info) throw new SvcError('DASHBOARD_PLUGIN', `There is no plugin "${name}".`, { status: 404 })
  if (toPlugin(info, []).can_switch) return info
  const text = `"${name}" is not switched here: use \`svc plugins enable ${name}\` or \`svc plugins disable ${name}\` in a terminal.`
  throw new SvcError('DASHBOARD_PLUGIN', text, { status: 409 })
}

function readList(ctx: Context, path: string): string[] {
  const value = ctx.use(Config).get(path)
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []
}
