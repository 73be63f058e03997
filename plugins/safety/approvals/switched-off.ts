/** Whether it is the user's own choice that a service is not there. */
import { Config, type PluginContext } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'

/** True if there are plugins that provide the service and `plugins.disabled` names them all. */
export function isSwitchedOff(ctx: Pick<PluginContext<unknown>, 'use'>, service: string): boolean {
  const disabled = ctx.use(Config).get('plugins.disabled')
  const providers = ctx
    .use(Plugins)
    .list()
    .filter(({ manifest }) => manifest.provides?.includes(service))
  return (
    Array.isArray(disabled) &&
    providers.length > 0 &&
    providers.every(({ manifest }) => disabled.includes(manifest.name))
  )
}
