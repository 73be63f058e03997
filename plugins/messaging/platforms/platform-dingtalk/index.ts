/** Offers the platform DingTalk. */
import { Clock, definePlugin, Net, Random, Secrets } from 'svc/sdk'
import { Platforms, StandIns } from 'svc/sdk/platform'
import { config } from './config.ts'
import { DingTalkPlatform } from './platform.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const secrets = () => ctx.use(Secrets)
    const platform = new DingTalkPlatform({
      config: ctx.config,
      log: ctx.log,
      clock: () => ctx.use(Clock),
      random: () => ctx.use(Random),
      net: () => ctx.use(Net),
      secrets,
      app: () => ({
        clientId: secrets().get('DINGTALK_CLIENT_ID')?.trim() ?? '',
        clientSecret: secrets().get('DINGTALK_CLIENT_SECRET')?.trim() ?? '',
      }),
    })
    ctx.add(Platforms, platform)
    ctx.add(StandIns, { name: 'dingtalk', open: async () => (await import('./stand-in/service.ts')).openStandIn() })
  },
})
