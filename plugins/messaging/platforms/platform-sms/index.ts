/** Offers text messages by phone. */
import { definePlugin, Net, Secrets } from 'svc/sdk'
import { Platforms, StandIns } from 'svc/sdk/platform'
import { Http } from 'svc/sdk/web'
import { config } from './config.ts'
import { SmsPlatform } from './platform.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const platform = new SmsPlatform({
      settings: ctx.config,
      log: ctx.log,
      net: () => ctx.use(Net),
      http: () => ctx.use(Http),
      secrets: () => ctx.use(Secrets),
    })
    ctx.add(Platforms, platform)
    ctx.add(StandIns, { name: 'sms', open: async () => (await import('./stand-in/service.ts')).openStandIn() })
    ctx.defer(() => platform.close())
  },
})
