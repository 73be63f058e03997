/** Claude models through the Messages API, and other services that speak it. */
import { definePlugin } from 'svc/sdk'
import { AnthropicWires, Providers } from 'svc/sdk/provider'
import { type Config, config } from './config.ts'
import { messagesProvider } from './provider.ts'
import { vendors } from './vendors.ts'
import { messagesWires } from './wires.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    ctx.provide(AnthropicWires, () => messagesWires(ctx))
    for (const vendor of vendors) ctx.add(Providers, messagesProvider(vendor, ctx))
  },
})
