/** The engine that is always there: one SQLite file for each owner, which the processes of this machine share. */
import { join } from 'node:path'
import { type Clock, errorCode, type Random, type Registration } from 'svc/sdk'
import { toRegistration } from 'svc/sdk/kit/async'
import type { Storage } from 'svc/sdk/storage'
import type { StoreConnection, StoreNotice, StoreServer } from 'svc/sdk/store'
import { SqliteFile } from './sqlite-file.ts'
import { createWriter } from './statements.ts'

const KEEP_NOTICES_MS = 60_000

export interface SqliteDeps {
  readonly storage: () => Storage
  readonly dir: string
  readonly clock: Clock
  readonly random: Random
  readonly timeoutMs: number
}

export class SqliteServer implements StoreServer {
  readonly dialect = 'sqlite'
  readonly #deps: SqliteDeps
  readonly #files = new Map<string, SqliteFile>()
  readonly #write = createWriter('sqlite')

  constructor(deps: SqliteDeps) {
    this.#deps = deps
  }

  async connect(owner: string): Promise<StoreConnection> {
    return this.#file(owner).connect()
  }

  async prepare(owner: string): Promise<void> {
    this.#file(owner)
  }

  /** A process that writes is alone. */
  lockSchema(): string {
    return 'select 1'
  }

  notify({ channel, notice }: StoreNotice) {
    return this
      .#write`insert into store_notices (channel, notice, sent_at) values (${channel}, ${notice}, ${this.#deps.clock.now()})`
  }

  listen(owner: string, listener: (notice: StoreNotice | undefined) => void): Registration {
    return toRegistration(this.#file(owner).notices.listen((notice) => listener(notice && { ...notice, owner })))
  }

  retries(error: unknown): 'now' | undefined {
    return errorCode(error) === 'STORAGE_BUSY' ? 'now' : undefined
  }

  async close(): Promise<void> {
    await Promise.all([...this.#files.values()].map((file) => file.close()))
    this.#files.clear()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #file(owner: string): SqliteFile {
    const known = this.#files.get(owner)
    if (known) return known
    const { storage, dir, ...deps } = this.#deps
    const database = storage().open({ file: join(dir, `${owner}.db`), migrations: [] })
    const file = new SqliteFile({ ...deps, database, keepNoticesMs: KEEP_NOTICES_MS })
    this.#files.set(owner, file)
    return file
  }
}
