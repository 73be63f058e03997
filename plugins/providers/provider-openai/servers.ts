/** Providers for servers that other plugins have an address of. */
import type { ModelProvider, ModelServer, ModelServers } from 'svc/sdk/provider'
import { serverEntry } from './catalog.ts'
import type { Deps } from './endpoint.ts'
import { createProvider } from './provider.ts'

/** Addresses change seldom; what a server has refused is remembered with its provider. */
const MAX_SERVERS = 50

export class Servers implements ModelServers {
  readonly #deps: Deps
  readonly #known: Map<string, ModelProvider> = new Map()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  at(server: ModelServer): ModelProvider {
    // A key that is only tried is not kept in memory either.
    if (server.trialKey !== undefined) return createProvider(serverEntry(server), this.#deps)
    const key = JSON.stringify([server.name, server.label, server.baseUrl, server.setting, server.keyName])
    const provider = this.#known.get(key) ?? createProvider(serverEntry(server), this.#deps)
    if (this.#known.size >= MAX_SERVERS) this.#known.clear()
    this.#known.set(key, provider)
    return provider
  }
}
