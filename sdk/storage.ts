/** Storage: one SQLite file per owner. Provided by the plugin `storage`. */

import { defineService, type Service, type ServiceCaller } from './declarations.ts'
import { errorCode } from './errors.ts'
import type { Dispose } from './plugin.ts'

/** A value that SQLite holds. @since 0.1 */
export type SqlValue = string | number | bigint | Uint8Array | null

/** A prepared statement; keep it, preparing costs more than running. @since 0.2 */
export interface PreparedStatement<Row = Record<string, SqlValue>> {
  /** Whether it gives rows: `all` throws otherwise. */
  readonly givesRows: boolean
  /** Whether it writes nothing. */
  readonly isReadOnly: boolean
  run(...values: SqlValue[]): { readonly changes: number; readonly lastInsertRowid: number | bigint }
  get(...values: SqlValue[]): Row | undefined
  all(...values: SqlValue[]): Row[]
}

/** A transaction that is open until one of these is called. @since 0.2 */
export interface HeldTransaction {
  /** Throws where it could not be committed; it is taken back then. */
  commit(): void
  rollBack(): void
}

/** An open database: WAL, one writer process at a time per transaction, foreign keys on. @since 0.1 */
export interface Database extends AsyncDisposable {
  readonly file: string
  prepare<Row = Record<string, SqlValue>>(sql: string): PreparedStatement<Row>
  exec(sql: string): void
  /**
   * Runs `work` in one immediate transaction: it is committed when the call returns. With `sync` the commit also survives a
   * power cut. With `soon` it shares one commit with all others of this round of the event loop: see `committed`.
   */
  transaction<T>(work: () => T, options?: { readonly sync?: boolean; readonly soon?: boolean }): T
  /**
   * Begins a transaction that stays open over several rounds of the event loop: all statements until its end belong to it, so
   * only one caller may use the database meanwhile. Throws `STORAGE_BUSY` at once where another process writes.
   */
  hold(): HeldTransaction
  /** Resolves when all that was written before with `soon` is committed. Rejects when it could not be, and is undone. */
  committed(): Promise<void>
  /**
   * Resolves when all that was written before survives a power cut, without keeping the program waiting: those who ask
   * at about the same time share one sync. Rejects with `STORAGE_UNAVAILABLE` when the disk fails. Where the database has
   * `SharedTables` and `storage.url` is set, it is at the server, too; with `scope` it rejects with `SCOPE_HELD` when what was written in
   * that scope is not, since another process has it.
   */
  synced(scope?: string): Promise<void>
  readonly close: Dispose
}

/** How a database is opened. @since 0.1 */
export interface DatabaseOptions {
  /** An absolute path; its folder is made. */
  readonly file: string
  /** Steps in order, each run once in a transaction; the file remembers how many it has had. */
  readonly migrations: readonly string[]
  /**
   * Takes one short step of work that can wait, such as merging an index, and tells whether there is more. Asked for now and
   * then in a process that has the database open for long; between two steps others write.
   */
  readonly upkeep?: (database: Database) => boolean
}

/** A corrupt file is kept aside, replaced by the newest good backup or an empty one, and reported. @since 0.1 */
export interface Storage {
  /**
   * Throws `STORAGE_UNAVAILABLE` (full disk, no rights), or `STORAGE_TOO_NEW` when the file has had more steps than are given: a
   * later version of the plugin wrote it. The kernel gives the `caller`, which the message names.
   */
  open(options: DatabaseOptions, caller?: ServiceCaller): Database
}
export const Storage: Service<Storage> = defineService('storage', { callers: ['open'] })

/** A database that is opened at its first use, and reopened after the storage plugin was reloaded. @since 0.2 */
export class ManagedDatabase implements AsyncDisposable {
  readonly #storage: () => Storage
  readonly #options: DatabaseOptions
  #database: Database | undefined
  #closed = false

  /** `storage` is asked at each opening. */
  constructor(storage: () => Storage, options: DatabaseOptions) {
    this.#storage = storage
    this.#options = options
  }

  /** Runs `work`, and once more on a fresh database when others had closed it: then it has done nothing yet. */
  use<T>(work: (database: Database) => T): T {
    try {
      return work(this.#opened())
    } catch (error) {
      if (errorCode(error) !== 'STORAGE_CLOSED' || this.#closed) throw error
      this.#database = undefined
      return work(this.#opened())
    }
  }

  /** Nothing works after this. */
  close(): void | Promise<void> {
    this.#closed = true
    return this.#database?.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #opened(): Database {
    this.#database ??= this.#storage().open(this.#options)
    return this.#database
  }
}
