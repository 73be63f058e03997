/** The provider `bedrock`: models of Amazon Bedrock through the Converse API. */
import { definePlugin, Providers } from 'svc/sdk'
import { bedrockProvider } from './provider.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(Providers, bedrockProvider(ctx))
  },
})
