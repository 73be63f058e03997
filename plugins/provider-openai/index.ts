/** Providers for everything that speaks OpenAI's chat completions: OpenAI, any compatible server, local servers. */
import { definePlugin, Providers } from 'svc/sdk'
import { catalog } from './catalog.ts'
import { type Config, config } from './config.ts'
import { createProvider } from './provider.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    for (const entry of catalog) ctx.add(Providers, createProvider(entry, ctx))
  },
})
