/** Offers WhatsApp. */
import { Clock, definePlugin, Net, Random, Secrets } from 'svc/sdk'
import { Platforms, StandIns } from 'svc/sdk/platform'
import { Traces } from 'svc/sdk/sessions'
import { Http } from 'svc/sdk/web'
import { config } from './config.ts'
import { WhatsAppPlatform } from './platform.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const platform = new WhatsAppPlatform({
      settings: ctx.config,
      log: ctx.log,
      clock: () => ctx.use(Clock),
      net: () => ctx.use(Net),
      http: () => ctx.use(Http),
      random: () => ctx.use(Random),
      secrets: () => ctx.use(Secrets),
      traces: () => ctx.find(Traces),
    })
    ctx.add(Platforms, platform)
    ctx.add(StandIns, { name: 'whatsapp', open: async () => (await import('./stand-in/service.ts')).openStandIn() })
    ctx.defer(() => platform.close())
  },
})
