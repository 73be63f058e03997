/** Whether there is a newer version, for other plugins. */
import type { PluginContext } from 'svc/sdk'
import type { UpdateCheck } from 'svc/sdk/operations'
import { chooseSource, openInstallation } from './open-installation.ts'

/** Contract: `Updates.check` of the SDK. */
export async function check(ctx: PluginContext<undefined>, signal: AbortSignal): Promise<UpdateCheck> {
  const { foreign, ...deps } = await openInstallation(ctx, signal)
  const { method, version } = deps.installation
  if (foreign !== undefined) return { method, version, isNewer: false, reason: foreign }
  const { title, isNewer } = await chooseSource(deps.installation).find(deps, undefined)
  return { method, version, newest: title, isNewer, ...(isNewer && { command: 'svc update' }) }
}
