/** For `svc uninstall`: the gateways of all profiles, and the services that start them. */
import type { PluginContext } from 'svc/sdk'
import type { UninstallItem } from 'svc/sdk/operations'
import { findService } from './install.ts'
import { findProfiles } from './profiles.ts'
import { runningHolder } from './running-gateway.ts'
import { stop } from './stop.ts'

export async function findGateways(ctx: PluginContext<undefined>): Promise<readonly UninstallItem[]> {
  return findProfiles(ctx, 'all').flatMap(({ name, ctx: inProfile }) => {
    const service = findService(inProfile)
    const holder = runningHolder(inProfile)
    const gateway: UninstallItem | undefined = holder && {
      text: `Stop the gateway of the profile ${name} (process ${holder.pid})`,
      // Its service may have ended it.
      remove: async () => void (await stop(inProfile, undefined, { out: () => {}, err: (text) => ctx.log.warn(text) })),
    }
    return [service, gateway].filter((item) => item !== undefined)
  })
}
