/** The provider `gemini`: Gemini models through Google's own API. */
import { definePlugin } from 'svc/sdk'
import { Providers } from 'svc/sdk/provider'
import { geminiProvider } from './provider.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(Providers, geminiProvider(ctx))
  },
})
