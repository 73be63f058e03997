/** Offers text messages by phone. */
import { definePlugin, Http, Net, Platforms, Secrets } from 'svc/sdk'
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
    ctx.defer(() => platform.close())
  },
})
