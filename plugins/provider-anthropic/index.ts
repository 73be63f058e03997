/** The provider `anthropic`: Claude models through the Messages API. */
import { definePlugin, Providers } from 'svc/sdk'
import { anthropicProvider } from './provider.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(Providers, anthropicProvider(ctx))
  },
})
