/** The provider `bedrock`: models of Amazon Bedrock through the Converse API. */
import { definePlugin } from 'svc/sdk'
import { Providers } from 'svc/sdk/provider'
import { bedrockProvider } from './provider.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(Providers, bedrockProvider(ctx))
  },
})
