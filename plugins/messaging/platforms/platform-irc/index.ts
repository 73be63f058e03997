/** Offers the platform `irc`. Nothing is opened until the gateway connects it. */
import { Clock, definePlugin, Random, Secrets } from 'svc/sdk'
import { Platforms, StandIns } from 'svc/sdk/platform'
import { type Config, config } from './config.ts'
import { IrcPlatform } from './platform.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const ports = () => ({
      clock: ctx.use(Clock),
      random: ctx.use(Random),
      secrets: ctx.use(Secrets),
      log: ctx.log,
    })
    ctx.add(Platforms, new IrcPlatform(ctx.config, ports))
    ctx.add(StandIns, { name: 'irc', open: async () => (await import('./stand-in/service.ts')).openStandIn() })
  },
})
