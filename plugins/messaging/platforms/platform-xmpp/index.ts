/** Offers the platform `xmpp`. Nothing is opened until the gateway connects it. */
import { Clock, definePlugin, Net, Random, Secrets } from 'svc/sdk'
import { Platforms, StandIns } from 'svc/sdk/platform'
import { type Config, config } from './config.ts'
import { XmppPlatform } from './platform.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const ports = () => ({
      clock: ctx.use(Clock),
      net: ctx.use(Net),
      random: ctx.use(Random),
      secrets: ctx.use(Secrets),
      log: ctx.log,
    })
    const platform = new XmppPlatform(ctx.config, ports)
    ctx.add(Platforms, platform)
    ctx.add(StandIns, { name: 'xmpp', open: async () => (await import('./stand-in/service.ts')).openStandIn() })
    ctx.defer(() => platform.close())
  },
})
