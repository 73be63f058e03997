/** The caches of one process: each in a separate file, or all at one server. */
import { type PluginContext, Secrets } from 'svc/sdk'
import type { Cache, CacheOptions, Caches } from 'svc/sdk/storage'
import { SharedStore } from 'svc/sdk/store'
import { createAdapter } from './adapters.ts'
import type { Config } from './config.ts'
import { FileCache } from './file-cache.ts'
import { ServerCache } from './server-cache.ts'

/** What of the plugin's context the caches need. */
export type Deps = Pick<PluginContext<Config>, 'use' | 'find' | 'log' | 'config'>

export class OpenCaches implements Caches {
  readonly #deps: Deps
  readonly #open: Map<string, FileCache<unknown> | ServerCache<unknown>> = new Map()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  open<Value>(options: CacheOptions<Value>): Cache<Value> {
    if (!/^[a-z][a-z0-9-]*$/.test(options.name)) throw new TypeError(`"${options.name}" is not a name of a cache`)
    const known = this.#open.get(options.name)
    if (known) return known as unknown as Cache<Value>
    const files = new FileCache(options, this.#deps)
    const connect = this.#findServer()
    const cache = connect ? new ServerCache(options, { connect, files, host: this.#deps }) : files
    this.#open.set(options.name, cache as FileCache<unknown>)
    return cache
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((cache) => cache.close()))
  }

  /** The server that caches are to be at: their own, else that of the shared store. */
  #findServer(): (() => Promise<object>) | undefined {
    const { use, find, config } = this.#deps
    const url = use(Secrets).get('SVC_CACHES_URL') ?? config.url.trim()
    if (url !== '') return async () => createAdapter(url)
    const store = find(SharedStore)
    if (store?.location !== 'server') return undefined
    return async () => (await import('./store-adapter.ts')).StoreAdapter.open(store)
  }
}
