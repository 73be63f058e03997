/** Offers the platform `simplex`. Nothing is opened until the gateway connects it. */
import { Clock, definePlugin, Secrets } from 'svc/sdk'
import { Platforms, StandIns } from 'svc/sdk/platform'
import { type Config, config } from './config.ts'
import { SimplexPlatform } from './platform.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const deps = () => ({ clock: ctx.use(Clock), secrets: ctx.use(Secrets), log: ctx.log })
    const platform = new SimplexPlatform(ctx.config, deps)
    ctx.add(Platforms, platform)
    ctx.add(StandIns, { name: 'simplex', open: async () => (await import('./stand-in/service.ts')).openStandIn() })
    ctx.defer(() => platform.close())
  },
})
