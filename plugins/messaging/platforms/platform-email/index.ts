/** Offers the platform `email`. Nothing is opened until the gateway connects it. */
import { join } from 'node:path'
import { Clock, definePlugin, Secrets } from 'svc/sdk'
import { Platforms, StandIns } from 'svc/sdk/platform'
import { Storage } from 'svc/sdk/storage'
import { type Config, config } from './config.ts'
import { OAuthTokenSource } from './oauth.ts'
import { MailPlatform } from './platform.ts'
import { MailStore } from './store.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const store = new MailStore(() => ctx.use(Storage), join(ctx.dataDir, 'email.db'))
    ctx.defer(() => store.close())
    const tokens = new OAuthTokenSource(ctx.config, ctx, join(ctx.dataDir, 'oauth.json'))
    const ports = () => ({ clock: ctx.use(Clock), secrets: ctx.use(Secrets), log: ctx.log, tokens })
    ctx.add(Platforms, new MailPlatform(ctx.config, store, ports))
    ctx.add(StandIns, { name: 'email', open: async () => (await import('./stand-in/service.ts')).openStandIn() })
  },
})
