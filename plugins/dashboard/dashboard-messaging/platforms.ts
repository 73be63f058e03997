/** Chat platforms as their manifests, the configuration and a running gateway describe them. */
import { Config, type PluginContext, Secrets, SvcError } from 'svc/sdk'
import { Control, type PluginInfo, Plugins } from 'svc/sdk/host'
import { Gateway, type GatewayStatus, type PlatformStatus } from 'svc/sdk/platform'
import { z } from 'zod'

export type Context = PluginContext<undefined>

const ASK_MS = 1500

const variableSchema = z.object({
  key: z.string(),
  description: z.string(),
  is_password: z.boolean(),
  is_set: z.boolean(),
  redacted_value: z.string().nullable(),
})
export const platformSchema = z.object({
  id: z.string(),
  plugin: z.string(),
  name: z.string(),
  description: z.string(),
  enabled: z.boolean(),
  configured: z.boolean(),
  gateway_running: z.boolean(),
  state: z.string().meta({ description: 'That of the gateway, or disabled, not_configured, gateway_stopped.' }),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
  updated_at: z.number().nullable(),
  home_channel: z.string().nullable(),
  contact: z.string().nullable().meta({ description: 'Where people reach the agent, once it was connected.' }),
  env_vars: z.array(variableSchema),
})
export type PlatformEntry = z.infer<typeof platformSchema>

export async function listPlatforms(ctx: Context): Promise<{ isRunning: boolean; platforms: PlatformEntry[] }> {
  const status = await findGateway(ctx)
  const platforms = listPlugins(ctx).map((info) => describe(ctx, info, status))
  return { isRunning: status !== undefined, platforms }
}

/** Throws `DASHBOARD_PLATFORM`. */
export async function findPlatform(ctx: Context, id: string): Promise<PlatformEntry> {
  return describe(ctx, findPlugin(ctx, id), await findGateway(ctx))
}

/** Throws `DASHBOARD_PLATFORM`. */
export function findPlugin(ctx: Context, id: string): PluginInfo {
  const found = listPlugins(ctx).find((info) => getId(info) === id)
  if (found) return found
  throw new SvcError('DASHBOARD_PLATFORM', `There is no chat platform "${id}".`, { status: 404 })
}

function listPlugins(ctx: Context): readonly PluginInfo[] {
  return ctx
    .use(Plugins)
    .list()
    .filter(({ manifest }) => manifest.kind === 'platform')
}

function getId({ manifest }: PluginInfo): string {
  return manifest.contributes?.['platforms']?.[0] ?? manifest.name
}

function describe(ctx: Context, info: PluginInfo, status: GatewayStatus | undefined): PlatformEntry {
  const id = getId(info)
  const block = ctx.use(Config).get(`platforms.${id}`)
  const { enabled, home_channel: home, ...settings } = (block ?? {}) as Record<string, unknown>
  const env_vars = (info.manifest.env ?? []).map(({ name, description, secret }) => {
    const value = ctx.use(Secrets).get(name)
    const shown = secret === true ? '…' : (value ?? null)
    return {
      ...{ key: name, description, is_password: secret === true, is_set: value !== undefined },
      redacted_value: value === undefined ? null : shown,
    }
  })
  const configured = env_vars.some(({ is_set }) => is_set) || Object.keys(settings).length > 0
  const now = status?.platforms.find(({ name }) => name === id)
  return {
    ...{ id, description: info.manifest.description, configured, env_vars },
    plugin: info.manifest.name,
    name: now?.label ?? id,
    enabled: enabled !== false,
    gateway_running: status !== undefined,
    state: chooseState({ isOff: enabled === false, configured, status, now }),
    error_code: now?.code ?? null,
    error_message: now?.reason ?? null,
    updated_at: now?.since ?? null,
    contact: now?.contact ?? null,
    home_channel: typeof home === 'string' || typeof home === 'number' ? String(home) : null,
  }
}

interface Known {
  readonly isOff: boolean
  readonly configured: boolean
  readonly status: GatewayStatus | undefined
  readonly now: PlatformStatus | undefined
}

/** The gateway says `disabled` of a platform that lacks something. */
function chooseState({ isOff, configured, status, now }: Known): string {
  if (isOff) return 'disabled'
  if (now && now.state !== 'disabled') return now.state
  if (!configured || now) return 'not_configured'
  return status ? 'connecting' : 'gateway_stopped'
}

/** That of this process, or of another one of this home. */
async function findGateway(ctx: Context): Promise<GatewayStatus | undefined> {
  const own = ctx.find(Gateway)?.status()
  if (own && own.state !== 'stopped') return own
  const answers = await ctx.use(Control).ask('gateway.status', {}, { timeoutMs: ASK_MS })
  return answers.find(({ command, error }) => command === 'gateway' && !error)?.result as GatewayStatus | undefined
}
