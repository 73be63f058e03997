/** Offers the platform `nostr`. Nothing is opened until the gateway connects it. */
import { Clock, definePlugin, Random, Secrets } from 'svc/sdk'
import { Platforms, StandIns } from 'svc/sdk/platform'
import { SafeFetch } from 'svc/sdk/web'
import { type Config, config } from './config.ts'
import { NostrPlatform } from './platform.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const deps = () => ({
      clock: ctx.use(Clock),
      random: ctx.use(Random),
      secrets: ctx.use(Secrets),
      guard: ctx.use(SafeFetch),
      log: ctx.log,
    })
    const platform = new NostrPlatform(ctx.config, deps)
    ctx.add(Platforms, platform)
    ctx.add(StandIns, { name: 'nostr', open: async () => (await import('./stand-in/service.ts')).openStandIn() })
    ctx.defer(() => platform.close())
  },
})
