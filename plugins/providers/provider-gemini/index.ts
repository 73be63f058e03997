/** The provider `gemini`: Gemini models through Google's own API. */
import { definePlugin, Providers } from 'svc/sdk'
import { geminiProvider } from './provider.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(Providers, geminiProvider(ctx))
  },
})
