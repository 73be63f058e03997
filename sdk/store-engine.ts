/** Engines of the shared store: what talks to one kind of database server. */
import { type ExtensionPoint, extensionPoint, type Ordered } from './declarations.ts'
import type { Registration } from './plugin.ts'
import type { StoreDialect } from './shared-store.ts'

/** Rows of a statement and how many it has changed. @since 0.2 */
export interface StoreResult {
  readonly rows: Record<string, unknown>[]
  readonly changes: number
}

/**
 * A connection that one caller has. Values and results are numbers, texts, bytes and null. Rejects with `SvcError`s of the codes
 * of `StoreErrorCode`; errors of wrong SQL stay as they are.
 * @since 0.2
 */
export interface StoreConnection {
  /** `values` stand where the dialect has its parameters: `?` or `$1`. */
  run(text: string, values: readonly unknown[]): Promise<StoreResult>
  /** Returns the time of the server, where it has one. */
  begin(isolation: 'serializable' | 'read-committed'): Promise<number | undefined>
  /** `sync`: it also survives a power cut. `retries` does not repeat a failure after which the commit may have happened. */
  commit(sync: boolean): Promise<void>
  rollBack(): Promise<void>
  /** Gives it back. `isBroken`: it is not used again. */
  giveBack(isBroken?: boolean): void
}

/** A notice on its way. @since 0.2 */
export interface StoreNotice {
  readonly owner: string
  readonly channel: string
  readonly notice: string
}

/** A server that is in use. @since 0.2 */
export interface StoreServer extends AsyncDisposable {
  readonly dialect: StoreDialect
  /** An expression of SQL for the time of the server, in Unix milliseconds. Without it the clock of the machine counts. */
  readonly now?: string
  /** A connection that sees the tables of this owner and no others. They have a place once `prepare` was called. */
  connect(owner: string): Promise<StoreConnection>
  /** Creates the place of the tables of an owner if it does not exist. */
  prepare(owner: string): Promise<void>
  /** Part of a transaction: keeps others from changing the schema of this owner until its end. */
  lockSchema(owner: string): string
  /** The statement, with values, that sends a notice with the commit. */
  notify(notice: StoreNotice): { readonly text: string; readonly values: readonly unknown[] }
  /** Notices of an owner from now on; undefined: some may have been missed. */
  listen(owner: string, listener: (notice: StoreNotice | undefined) => void): Registration
  /** What an open transaction that failed with it may do: run again now, run again once the server is back, or nothing. */
  retries(error: unknown): 'now' | 'later' | undefined
  close(): Promise<void>
}

/** How a server is reached. @since 0.2 */
export interface StoreServerOptions {
  /** May hold a password: it is in no message and no log. */
  readonly url: string
  /** What the places of the owners begin with, so that several homes can share one database. */
  readonly prefix: string
  /** Connections at most. */
  readonly connections: number
  /** Milliseconds that a statement, and getting a connection, may take. */
  readonly timeoutMs: number
}

/** Talks to one kind of server. @since 0.2 */
export interface StoreEngine extends Ordered {
  /** For people and `svc doctor`: `postgres`. */
  readonly name: string
  /** Of the addresses it is for, without the colon. */
  readonly schemes: readonly string[]
  /** Loads and connects nothing yet. Throws `STORAGE_URL_INVALID`. */
  open(options: StoreServerOptions): StoreServer
}
/** @since 0.2 */
export const StoreEngines: ExtensionPoint<StoreEngine> = extensionPoint('store-engines', (engine) => engine.name)
