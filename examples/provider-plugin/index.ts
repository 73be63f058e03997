/** Offers the provider `ollama-native`. */
import { definePlugin, Net, Random } from 'svc/sdk'
import { Providers } from 'svc/sdk/provider'
import { z } from 'zod'
import { ollama } from './provider.ts'

const config = z.object({
  base_url: z.url().default('http://127.0.0.1:11434').meta({ description: 'Where Ollama answers.' }),
})

export default definePlugin({
  config,
  setup(ctx) {
    ctx.add(
      Providers,
      ollama(ctx.config.base_url, {
        request: (request) => ctx.use(Net).request(request),
        newId: () => ctx.use(Random).hex(8),
      }),
    )
  },
})
