/** A server in use: a few connections for statements, and one for notices when someone listens. */
import type { Clock, Logger, Registration } from 'svc/sdk'
import type { StoreConnection, StoreNotice, StoreServer, StoreServerOptions } from 'svc/sdk/store'
import type { Address } from './address.ts'
import type * as library from './client.ts'
import { NOW, PostgresConnection } from './connection.ts'
import { explain, getRetry } from './failures.ts'
import { PostgresNotices } from './notices.ts'

export interface ServerDeps extends StoreServerOptions {
  readonly address: Address
  readonly clock: Clock
  readonly log: Logger
}

export class PostgresServer implements StoreServer {
  readonly dialect = 'postgres'
  readonly now = NOW
  readonly #deps: ServerDeps
  readonly #notices: PostgresNotices
  /** The owner whose tables a connection sees. */
  readonly #owners = new WeakMap<library.PoolClient, string>()
  #pool: Promise<library.Pool> | undefined

  constructor(deps: ServerDeps) {
    this.#deps = deps
    this.#notices = new PostgresNotices({ ...deps, channel: `${deps.prefix}_store` })
  }

  async connect(owner: string): Promise<StoreConnection> {
    try {
      const pool = await this.#opened()
      const client = await pool.connect()
      try {
        if (this.#owners.get(client) !== owner) await client.query(`set search_path to ${this.#schema(owner)}`)
        this.#owners.set(client, owner)
      } catch (error) {
        client.release(true)
        throw error
      }
      return new PostgresConnection(client, this.#deps.address)
    } catch (error) {
      throw explain(error, this.#deps.address)
    }
  }

  async prepare(owner: string): Promise<void> {
    const connection = await this.connect(owner)
    try {
      // Two processes that make it at once: the second would fail instead of waiting.
      await connection.begin('read-committed')
      await connection.run(this.lockSchema(owner), [])
      const { rows } = await connection.run('select 1 from pg_namespace where nspname = $1', [this.#name(owner)])
      if (rows.length === 0) await connection.run(`create schema ${this.#schema(owner)}`, [])
      await connection.commit(false)
      connection.giveBack()
    } catch (error) {
      connection.giveBack(true)
      throw error
    }
  }

  lockSchema(owner: string): string {
    return `select pg_advisory_xact_lock(hashtextextended('${this.#name(owner)}', 0))`
  }

  notify(notice: StoreNotice) {
    return {
      text: 'select pg_notify($1, $2)',
      values: [this.#notices.channel, `${notice.owner} ${notice.channel} ${notice.notice}`],
    }
  }

  listen(owner: string, listener: (notice: StoreNotice | undefined) => void): Registration {
    return this.#notices.listen((notice) => {
      if (notice === undefined || notice.owner === owner) listener(notice)
    })
  }

  retries(error: unknown): 'now' | 'later' | undefined {
    return getRetry(error)
  }

  async close(): Promise<void> {
    await this.#notices.close()
    const pool = await this.#pool?.catch(() => undefined)
    this.#pool = undefined
    await pool?.end()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #opened(): Promise<library.Pool> {
    this.#pool ??= this.#open().catch((error) => {
      this.#pool = undefined
      throw error
    })
    return this.#pool
  }

  async #open(): Promise<library.Pool> {
    const { createPool } = await import('./client.ts')
    const pool = createPool(this.#deps)
    // Without a listener a connection that breaks between two statements would be an exception of the process.
    pool.on('connect', (client) => client.on('error', () => {}))
    // One that breaks while it is not used is replaced.
    pool.on('error', (error) => this.#deps.log.debug('a connection to the database server was cut', { error }))
    return pool
  }

  /** Owners are letters, digits and hyphens, and prefixes letters, digits and underscores. */
  #name(owner: string): string {
    return `${this.#deps.prefix}_${owner}`
  }

  #schema(owner: string): string {
    return `"${this.#name(owner)}"`
  }
}
