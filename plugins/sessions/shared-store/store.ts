/** The service: which engine keeps the tables, and the databases that are open. */
import { join, relative } from 'node:path'
import { Clock, Home, type PluginContext, Random, Secrets, SvcError } from 'svc/sdk'
import { Storage } from 'svc/sdk/storage'
import {
  type SharedDatabase,
  type SharedStore,
  type SharedStoreOptions,
  StoreEngines,
  type StoreServer,
} from 'svc/sdk/store'
import type { Config } from './config.ts'

/** What of the context of the plugin it needs. */
export type StoreDeps = Pick<PluginContext<Config>, 'use' | 'all' | 'config' | 'dataDir'>

export class OpenStores implements SharedStore {
  readonly #deps: StoreDeps
  readonly #open = new Set<SharedDatabase<unknown>>()
  readonly #servers = new Map<string, Promise<StoreServer>>()

  constructor(deps: StoreDeps) {
    this.#deps = deps
  }

  async open<Tables>(options: SharedStoreOptions): Promise<SharedDatabase<Tables>> {
    const { openDatabase } = await import('./open.ts')
    const { use, config } = this.#deps
    const server = await this.server(options.scope)
    let database: SharedDatabase<unknown> | undefined
    database = await openDatabase(options, {
      server,
      clock: use(Clock),
      random: use(Random),
      timeoutMs: config.timeout_seconds * 1000,
      closed: () => database && this.#open.delete(database),
    })
    this.#open.add(database)
    return database as unknown as SharedDatabase<Tables>
  }

  /** Where the tables are. Connects nothing. Throws `STORAGE_ENGINE_UNKNOWN` and what the engine throws. */
  server(scope: SharedStoreOptions['scope'] = 'profile'): Promise<StoreServer> {
    const place = this.url === '' ? this.#findFolder(scope) : ''
    const known = this.#servers.get(place)
    if (known) return known
    const begun = this.#begin(place).catch((error) => {
      this.#servers.delete(place)
      throw error
    })
    this.#servers.set(place, begun)
    return begun
  }

  get location(): SharedStore['location'] {
    return this.url === '' ? 'files' : 'server'
  }

  /** The address of the server, or empty without a server. It may hold a password. */
  get url(): string {
    return this.#deps.use(Secrets).get('SVC_STORAGE_URL') ?? this.#deps.config.url.trim()
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#open].map((database) => database.close()))
    const servers = await Promise.allSettled(this.#servers.values())
    await Promise.all(servers.map(async (server) => server.status === 'fulfilled' && server.value.close()))
  }

  #findFolder(scope: SharedStoreOptions['scope']): string {
    const { use, dataDir } = this.#deps
    const home = use(Home)
    return scope === 'installation' ? join(home.root, relative(home.dir, dataDir)) : dataDir
  }

  async #begin(dir: string): Promise<StoreServer> {
    const { use, all, config } = this.#deps
    const { url } = this
    const timeoutMs = config.timeout_seconds * 1000
    if (url === '') {
      const { SqliteServer } = await import('./sqlite-server.ts')
      const storage = () => use(Storage)
      return new SqliteServer({ storage, dir, clock: use(Clock), random: use(Random), timeoutMs })
    }
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase() ?? ''
    const engines = all(StoreEngines).all()
    const engine = engines.find(({ schemes }) => schemes.includes(scheme))
    if (!engine)
      throw new SvcError(
        'STORAGE_ENGINE_UNKNOWN',
        `storage.url begins with "${scheme}". Known are: ${engines.flatMap(({ schemes }) => schemes).join(', ') || 'none'}.`,
      )
    return engine.open({ url, prefix: config.prefix, connections: config.connections, timeoutMs })
  }
}
