/** Wires the platform Mattermost. */
import { Clock, definePlugin, Net, Random, Secrets } from 'svc/sdk'
import { Platforms, StandIns } from 'svc/sdk/platform'
import { config } from './config.ts'
import { MattermostPlatform } from './platform.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const host = () => ({
      config: ctx.config,
      log: ctx.log,
      clock: ctx.use(Clock),
      net: ctx.use(Net),
      random: ctx.use(Random),
      url: () => (ctx.use(Secrets).get('MATTERMOST_URL') ?? ctx.config.base_url).replace(/\/+$/, ''),
      token: () => ctx.use(Secrets).get('MATTERMOST_TOKEN'),
    })
    ctx.add(Platforms, new MattermostPlatform(ctx.config, host))
    ctx.add(StandIns, { name: 'mattermost', open: async () => (await import('./stand-in/service.ts')).openStandIn() })
  },
})
