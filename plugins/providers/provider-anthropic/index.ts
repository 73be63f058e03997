/** Claude models through the Messages API, and other services that speak it. */
import { definePlugin, Providers } from 'svc/sdk'
import { type Config, config } from './config.ts'
import { messagesProvider } from './provider.ts'
import { vendors } from './vendors.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    for (const vendor of vendors) ctx.add(Providers, messagesProvider(vendor, ctx))
  },
})
