/** What every reachable process answers: its plugins, and changes to them. */
import { Clock, Config, type PluginContext, SvcError } from 'svc/sdk'
import { ConfigChanged } from 'svc/sdk/hooks'
import type { ControlMethod } from 'svc/sdk/host'
import { type PluginInfo, Plugins } from 'svc/sdk/host'

/** The edit of config.yaml that switched the plugin on may take a moment to be noticed here. */
const FOLLOW_MS = 5000

/** The methods by name. */
export function pluginMethods(ctx: PluginContext<undefined>): Record<string, ControlMethod> {
  const plugins = () => ctx.use(Plugins)
  return {
    'plugins.list': { read: true, run: () => ({ plugins: plugins().list(), problems: plugins().problems() }) },
    'plugins.enable': async (params) => {
      const name = readName(params)
      await whenSwitchedOn(ctx, name)
      await plugins().enable(name)
      return pickState(plugins().info(name))
    },
    'plugins.disable': async (params) => ({ names: await plugins().disable(readName(params)) }),
    'plugins.reload': async (params) => {
      const name = readName(params)
      await plugins().reload(name)
      return pickState(plugins().info(name))
    },
  }
}

function readName(params: unknown): string {
  const name = (params as { name?: unknown } | null | undefined)?.name
  if (typeof name === 'string') return name
  throw new SvcError('CONTROL_PARAMS', 'The request needs "name", the name of a plugin.')
}

function pickState(info: PluginInfo | undefined): Partial<PluginInfo> {
  if (!info) return {}
  const { status, generation, reason } = info
  return { status, generation, ...(reason === undefined ? {} : { reason }) }
}

async function whenSwitchedOn(ctx: PluginContext<undefined>, name: string): Promise<void> {
  if (isSwitchedOn(ctx, name)) return
  await new Promise<void>((resolve) => {
    const done = () => {
      cancel()
      void off()
      resolve()
    }
    const cancel = ctx.use(Clock).after(FOLLOW_MS, done)
    const off = ctx.on(ConfigChanged, () => {
      if (isSwitchedOn(ctx, name)) done()
    })
  })
}

/** As this process has read config.yaml. */
function isSwitchedOn(ctx: PluginContext<undefined>, name: string): boolean {
  const listed = (path: string) => {
    const names = ctx.use(Config).get(path)
    return Array.isArray(names) && names.includes(name)
  }
  if (listed('plugins.disabled')) return false
  const info = ctx.use(Plugins).info(name)
  const runsUnasked = info?.origin === 'built-in' && !info.manifest.optIn
  return runsUnasked || listed('plugins.enabled')
}
