/** A cache at a server that several machines share, over keyv and the adapter of that server. */
import type { Keyv as Store } from 'keyv'
import { Clock, errorMessage } from 'svc/sdk'
import { withDeadline } from 'svc/sdk/kit/async'
import type { Cache, CacheOptions } from 'svc/sdk/storage'
import type { FileCache } from './file-cache.ts'
import type { Deps } from './open-caches.ts'

/** A cache that is slower than the work it saves is useless. */
const LIMIT_MS = 2000
/** What `peek` knows; the oldest are forgotten. */
const MAX_NEAR = 1000

/** Where the cache is. */
interface CacheLocation {
  /** Connects to it. Rejects where it cannot be used at all. */
  readonly connect: () => Promise<object>
  /** Used when the server cannot be. */
  readonly files: FileCache<never>
  readonly host: Deps
}

export class ServerCache<Value> implements Cache<Value> {
  readonly #options: CacheOptions<Value>
  readonly #adapter: () => Promise<object>
  readonly #files: Cache<Value>
  readonly #deps: Deps
  readonly #near: Map<string, Value> = new Map()
  #store: Promise<Store | undefined> | undefined

  constructor(options: CacheOptions<Value>, place: Omit<CacheLocation, 'files'> & { readonly files: Cache<Value> }) {
    this.#options = options
    this.#adapter = place.connect
    this.#files = place.files
    this.#deps = place.host
  }

  peek(key: string): Value | undefined {
    return this.#near.get(key)
  }

  async get(key: string): Promise<Value | undefined> {
    const store = await this.#opened()
    if (!store) return this.#files.get(key)
    const value: unknown = await this.#tried(() => store.get(key))
    const known = this.#options.isValue(value) ? value : undefined
    this.#remember(key, known)
    return known
  }

  async warm(key: string): Promise<void> {
    if (!this.#near.has(key)) await this.get(key)
  }

  async set(key: string, value: Value): Promise<void> {
    this.#remember(key, value)
    const store = await this.#opened()
    if (store) await this.#tried(() => store.set(key, value))
    else await this.#files.set(key, value)
  }

  async delete(key: string): Promise<void> {
    this.#remember(key, undefined)
    const store = await this.#opened()
    if (store) await this.#tried(() => store.delete(key))
    else await this.#files.delete(key)
  }

  async close(): Promise<void> {
    const store = await this.#store
    // With force: what is under way at a server that does not answer would hold up the end of svc.
    const adapter = store?.store as { disconnect?(force: boolean): Promise<void> } | undefined
    await this.#tried(async () => adapter?.disconnect?.(true))
  }

  #remember(key: string, value: Value | undefined): void {
    this.#near.delete(key)
    if (value === undefined) return
    const [oldest] = this.#near.keys()
    if (this.#near.size >= MAX_NEAR && oldest !== undefined) this.#near.delete(oldest)
    this.#near.set(key, value)
  }

  /** Undefined when the server cannot be used at all: files stand in for it then. */
  #opened(): Promise<Store | undefined> {
    this.#store ??= this.#connect().catch((error) => {
      this.#deps.log.error(`the cache server cannot be used, so files stand in for it: ${errorMessage(error)}`, {
        error,
      })
      return undefined
    })
    return this.#store
  }

  async #connect(): Promise<Store> {
    const adapter = await this.#adapter()
    // By its name: in the built program the default of a CommonJS package is the whole of it.
    const { Keyv } = await import('keyv')
    const { name: namespace, ttlMs: ttl } = this.#options
    const store = new Keyv({ store: adapter, namespace: `svc-${namespace}`, ttl })
    // Without a listener a broken connection would be an exception of the process.
    store.on('error', (error: unknown) => this.#failed(error))
    return store
  }

  async #tried<T>(work: () => Promise<T>): Promise<T | undefined> {
    const late = () => new Error(`it did not answer within ${LIMIT_MS / 1000} s`)
    try {
      return await withDeadline(this.#deps.use(Clock), LIMIT_MS, work, late, { background: true })
    } catch (error) {
      this.#failed(error)
      return undefined
    }
  }

  #failed(error: unknown): void {
    this.#deps.log.warn('the cache server failed', { cache: this.#options.name, error })
  }
}
