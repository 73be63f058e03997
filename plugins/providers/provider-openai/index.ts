/** Providers for everything that speaks one of OpenAI's wires: OpenAI, other services, any server, local servers. */
import { definePlugin } from 'svc/sdk'
import { ModelServers, OpenAiWires, Providers } from 'svc/sdk/provider'
import { catalog, namedServers } from './catalog.ts'
import { type Config, config } from './config.ts'
import { createProvider } from './provider.ts'
import { Servers } from './servers.ts'
import { Wires } from './wires.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    for (const entry of catalog) ctx.add(Providers, createProvider(entry, ctx))
    ctx.provide(ModelServers, () => new Servers(ctx))
    ctx.provide(OpenAiWires, () => new Wires(ctx))
    // Which servers have a name is in config.yaml, not in the manifest.
    ctx.onStart(() => {
      const isKnown = (id: string) => ctx.all(Providers).get(id) !== undefined
      for (const entry of namedServers(ctx.config, isKnown)) ctx.add(Providers, createProvider(entry, ctx))
    })
  },
})
