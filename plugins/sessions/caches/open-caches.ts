/** The caches of one process: each in a separate file, or all at one server. */
import { type PluginContext, Secrets } from 'svc/sdk'
import type { Cache, CacheOptions, Caches } from 'svc/sdk/storage'
import type { Config } from './config.ts'
import { FileCache } from './file-cache.ts'
import { ServerCache } from './server-cache.ts'

/** What of the plugin's context the caches need. */
export type Deps = Pick<PluginContext<Config>, 'use' | 'log' | 'config'>

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
    const url = this.#deps.use(Secrets).get('SVC_CACHES_URL') ?? this.#deps.config.url.trim()
    const cache = url === '' ? files : new ServerCache(options, { url, files, host: this.#deps })
    this.#open.set(options.name, cache as FileCache<unknown>)
    return cache
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((cache) => cache.close()))
  }
}
