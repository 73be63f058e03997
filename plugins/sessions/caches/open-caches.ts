/** The caches of one process: each in a file of its own, or all at one server. */
import { type Cache, type CacheOptions, type Caches, type PluginContext, Secrets } from 'svc/sdk'
import type { Config } from './config.ts'
import { FileCache } from './file-cache.ts'
import { ServerCache } from './server-cache.ts'

/** What of the plugin's context the caches need. */
export type Host = Pick<PluginContext<Config>, 'use' | 'log' | 'config'>

export class OpenCaches implements Caches {
  readonly #host: Host
  readonly #open: Map<string, FileCache<unknown> | ServerCache<unknown>> = new Map()

  constructor(host: Host) {
    this.#host = host
  }

  open<Value>(options: CacheOptions<Value>): Cache<Value> {
    if (!/^[a-z][a-z0-9-]*$/.test(options.name)) throw new TypeError(`"${options.name}" is not a name of a cache`)
    const known = this.#open.get(options.name)
    if (known) return known as unknown as Cache<Value>
    const files = new FileCache(options, this.#host)
    const url = this.#host.use(Secrets).get('SVC_CACHES_URL') ?? this.#host.config.url.trim()
    const cache = url === '' ? files : new ServerCache(options, { url, files, host: this.#host })
    this.#open.set(options.name, cache as FileCache<unknown>)
    return cache
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((cache) => cache.close()))
  }
}
