/** Offers the platform Signal. */
import { Clock, definePlugin, Net, Random, Secrets } from 'svc/sdk'
import { Platforms, StandIns } from 'svc/sdk/platform'
import { config } from './config.ts'
import { SignalPlatform } from './platform.ts'

const USUAL_URL = 'http://127.0.0.1:8080'

export default definePlugin({
  config,
  setup(ctx) {
    const variable = (name: 'SIGNAL_HTTP_URL' | 'SIGNAL_ACCOUNT') => ctx.use(Secrets).get(name)?.trim()
    const platform = new SignalPlatform({
      config: ctx.config,
      log: ctx.log,
      clock: () => ctx.use(Clock),
      random: () => ctx.use(Random),
      net: () => ctx.use(Net),
      url: () => (ctx.config.http_url || variable('SIGNAL_HTTP_URL') || USUAL_URL).replace(/\/+$/, ''),
      account: () => ctx.config.account.trim() || variable('SIGNAL_ACCOUNT') || '',
    })
    ctx.add(Platforms, platform)
    ctx.add(StandIns, { name: 'signal', open: async () => (await import('./stand-in/service.ts')).openStandIn() })
  },
})
