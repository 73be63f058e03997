/** The shared store: typed, asynchronous SQL that one machine keeps in files and several machines keep on a server. */
import type * as kysely from 'kysely'
import { defineService, type Service } from './declarations.ts'
import type { Registration } from './plugin.ts'
import type { StoreLocks } from './store-locks.ts'
import type { StoreQueue, StoreQueueOptions } from './store-queue.ts'

/** A column whose type differs between reading, inserting and updating. @since 0.2 */
export type ColumnType<Select, Insert = Select, Update = Select> = kysely.ColumnType<Select, Insert, Update>
/** A column that need not be given when a row is inserted. @since 0.2 */
export type Generated<Column> = kysely.Generated<Column>
/** A row as it is read. @since 0.2 */
export type Selectable<Table> = kysely.Selectable<Table>
/** A row as it is inserted. @since 0.2 */
export type Insertable<Table> = kysely.Insertable<Table>
/** The columns of a change. @since 0.2 */
export type Updateable<Table> = kysely.Updateable<Table>
/** Writes text of SQL with values. @since 0.2 */
export type Sql = kysely.Sql
/** What builds statements and changes schemas: https://kysely.dev. @since 0.2 */
export type Kysely<Tables> = kysely.Kysely<Tables>
/** What builds statements. @since 0.2 */
export type QueryCreator<Tables> = kysely.QueryCreator<Tables>
/** What runs statements. @since 0.2 */
export type QueryExecutorProvider = kysely.QueryExecutorProvider

/** Bytes of a notice, in UTF-8: PostgreSQL carries 8,000 with the names. Send ids, and read the rest from the tables. @since 0.2 */
export const MAX_NOTICE_BYTES = 7000

/** The dialects of SQL in which a store may be. @since 0.2 */
export type StoreDialect = 'sqlite' | 'postgres'

/**
 * Codes of the errors of a store, besides those of SQL that is wrong. `STORAGE_UNAVAILABLE`: the server or the disk cannot be
 * used now; try again later. `STORAGE_BUSY`: others were in the way for too long. `STORAGE_TIMEOUT`: a statement took too
 * long and was ended. `STORAGE_CONFLICT`: a unique or other constraint refused a row.
 * @since 0.2
 */
export type StoreErrorCode =
  | 'STORAGE_UNAVAILABLE'
  | 'STORAGE_BUSY'
  | 'STORAGE_CLOSED'
  | 'STORAGE_READ_ONLY'
  | 'STORAGE_TIMEOUT'
  | 'STORAGE_CONFLICT'
  | 'STORAGE_TOO_NEW'
  | 'STORAGE_MIGRATION_FAILED'
  | 'STORAGE_NESTED'
  | 'STORAGE_FENCED'
  | 'STORAGE_LEASE_LOST'
  | 'STORAGE_NOTICE_LARGE'
  | 'STORAGE_NAME_INVALID'
  | 'STORAGE_URL_INVALID'

/**
 * Builds and runs statements: `selectFrom`, `insertInto`, `updateTable`, `deleteFrom`, and what the `sql` of the store writes.
 * Both dialects have integers (up to 2^53), floating-point numbers, texts and bytes; for truth values use 0 and 1, for moments
 * Unix times in milliseconds (column type `bigint`), for objects JSON in a `text`.
 * @since 0.2
 */
export interface StoreQueries<Tables> extends QueryCreator<Tables>, QueryExecutorProvider {}

/** The statements of one transaction. Not usable after it. @since 0.2 */
export interface StoreTransaction<Tables> extends StoreQueries<Tables> {}

/** How a transaction runs. @since 0.2 */
export interface StoreTransactionOptions {
  /** The commit also survives a power cut (default false; a server decides it by its own settings). */
  readonly sync?: boolean
  /**
   * `serializable` (default): as if all transactions ran one after the other. `read-committed` costs a server less, and is
   * enough where each statement is right on its own. In files it is always the first.
   */
  readonly isolation?: 'serializable' | 'read-committed'
}

/** What a step of a schema works with. @since 0.2 */
export interface StoreMigrationTools {
  /** `schema`, and statements for moving data. The step runs in a transaction: a failure takes all of it back. */
  readonly db: Kysely<Record<string, never>>
  readonly sql: Sql
  readonly dialect: StoreDialect
  /** The type of a column of bytes in this dialect. */
  readonly bytes: 'blob' | 'bytea'
}

/** One step of a schema, for both dialects. A released step is never changed; a change is another step. @since 0.2 */
export type StoreMigration = (tools: StoreMigrationTools) => Promise<void>

/** How a store is opened. @since 0.2 */
export interface SharedStoreOptions {
  /** Whose tables: lower-case letters, digits and hyphens, beginning with a letter, 40 at most. Usually the name of the plugin. */
  readonly owner: string
  /**
   * Whose tables in files: `profile` (default) that of the active home, `installation` all profiles below one `SVC_HOME`. At a
   * server all homes with the same `storage.prefix` share them in any case.
   */
  readonly scope?: 'profile' | 'installation'
  /** In order; the store remembers how many it has had. Names of tables do not begin with `store_`. */
  readonly migrations: readonly StoreMigration[]
}

/** The tables of one owner. @since 0.2 */
export interface SharedDatabase<Tables> extends AsyncDisposable {
  readonly dialect: StoreDialect
  /** Single statements, each committed on its own. Throws `STORAGE_NESTED` in `work` of a transaction: use its statements there. */
  readonly query: StoreQueries<Tables>
  /** Text of SQL with values: ``sql<{ n: number }>`select count(*) as n from tasks`.execute(db.query)``. */
  readonly sql: Sql
  /**
   * Runs `work` in a transaction that is committed when its promise resolves, and taken back when it rejects. Where others were
   * in the way, `work` runs again, up to ten times with growing waits: what it does besides statements must bear that. Keep
   * it short, since in files others wait for it. `now` is when it began, by the clock of `now()`. Throws `STORAGE_NESTED` inside of another transaction of the store,
   * `STORAGE_BUSY` when no attempt got through, and the codes of `StoreErrorCode`.
   */
  transaction<T>(
    work: (tx: StoreTransaction<Tables>, now: number) => Promise<T>,
    options?: StoreTransactionOptions,
  ): Promise<T>
  /** Unix time in milliseconds by the clock that decides leases: that of the server, or the one of this machine. */
  now(): Promise<number>
  readonly locks: StoreLocks
  /** Cheap; the same name is the same queue in all processes. Names as those of owners. */
  queue<Payload>(name: string, options?: StoreQueueOptions): StoreQueue<Payload>
  /**
   * Calls `listener` for each notice of the channel, of all processes and machines, in the order of the commits, each within
   * a fraction of a second. Undefined means that notices may have been missed, for instance while a connection was cut:
   * look at the tables. Names of channels as those of owners.
   */
  listen(channel: string, listener: (notice: string | undefined) => void): Registration
  /**
   * Sends a notice: with the commit of `tx`, or at once. Throws `STORAGE_NOTICE_LARGE` above `MAX_NOTICE_BYTES`. Notices are kept
   * for a minute at most: what must not be lost belongs in a queue.
   */
  notify(channel: string, notice: string, tx?: QueryExecutorProvider): Promise<void>
  /** Ends what is under way. Everything throws `STORAGE_CLOSED` after it. */
  close(): Promise<void>
}

/**
 * Opens stores. Without `storage.url` they are SQLite files of this machine; several processes may use them. With it they are
 * on a server that several machines share. Nothing is loaded or connected before the first `open`.
 * @since 0.2
 */
export interface SharedStore {
  /** Where the tables are: `files` of this machine, or a `server` that several machines may share. Connects nothing. */
  readonly location: 'files' | 'server'
  /**
   * Throws `STORAGE_TOO_NEW` when a later version of the owner has changed the schema, and the codes of `StoreErrorCode`. The same
   * owner may be opened several times; each is closed on its own.
   */
  open<Tables>(options: SharedStoreOptions): Promise<SharedDatabase<Tables>>
}
export const SharedStore: Service<SharedStore> = defineService('shared-store')
