/** Wires the platform Discord. */
import { Clock, definePlugin, Net, Random, Secrets } from 'svc/sdk'
import { Platforms, StandIns } from 'svc/sdk/platform'
import { config } from './config.ts'
import { DiscordPlatform } from './platform.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const host = () => ({
      config: ctx.config,
      log: ctx.log,
      clock: ctx.use(Clock),
      net: ctx.use(Net),
      random: ctx.use(Random),
      token: () => ctx.use(Secrets).get('DISCORD_BOT_TOKEN'),
    })
    ctx.add(Platforms, new DiscordPlatform(ctx.config, host))
    ctx.add(StandIns, { name: 'discord', open: async () => (await import('./stand-in/service.ts')).openStandIn() })
  },
})
