/** Claude models through the Messages API, and other services that speak it. */
import { definePlugin } from 'svc/sdk'
import { Providers } from 'svc/sdk/provider'
import { type Config, config } from './config.ts'
import { messagesProvider } from './provider.ts'
import { vendors } from './vendors.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    for (const vendor of vendors) ctx.add(Providers, messagesProvider(vendor, ctx))
  },
})
