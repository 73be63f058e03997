/** Tables of local databases whose rows several machines share, and the scopes in which one process at a time writes. */
import {
  checkMembers,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
} from './declarations.ts'
import { SvcError } from './errors.ts'
import type { PluginContext, Registration } from './plugin.ts'
import { SharedStore } from './shared-store.ts'
import type { Database, SqlValue } from './storage.ts'

/** A column that holds the local number of a row of another table. @since 0.2 */
export interface SharedReference {
  readonly table: string
  /** The column of that table with the number. */
  readonly number: string
  /** The column of that table that identifies its row on every machine: it is the whole key of that table. */
  readonly key: string
}

/** A table whose rows are shared. @since 0.2 */
export interface SharedTable {
  readonly name: string
  /** The columns that identify a row on every machine. References count as the key of the row that they name. */
  readonly key: readonly string[]
  /** Columns that mean something on this machine only, such as the number of a row: they are not shared. */
  readonly local?: readonly string[]
  /** Its columns that hold numbers of rows of another shared table. A row goes when that one goes. */
  readonly references?: Readonly<Record<string, SharedReference>>
  /**
   * SQL for the scope of a row, whose columns are named `row.column`: a text that begins with the kind of the scope and a colon,
   * such as `'account:' || row.platform`. One process at a time writes in a scope.
   */
  readonly scope: string
  /** SQL for the rows that are shared; left out: all. A row does not come to be another one later. */
  readonly where?: string
  /** Others than the holder of the scope may add rows: texts that are only ever added, messages that the holder is to send. */
  readonly isOpen?: true
  /** For a table whose rows count only when svc wrote them, since other programs of this machine can write the file, too. */
  readonly seal?: SharedSeal
}

/** How rows prove on each machine that svc wrote them, where each has a key of its own. @since 0.2 */
export interface SharedSeal {
  /** Whether this row is one of this machine; any other is sent as one that is gone. */
  holds(row: Readonly<Record<string, SqlValue>>): boolean
  /** A row that came from another machine, with the seal of this one. */
  renew(row: Readonly<Record<string, SqlValue>>): Readonly<Record<string, SqlValue>>
}

/** A local database with shared tables. Nothing is shared, and nothing costs anything, while `storage.url` is not set. @since 0.2 */
export interface SharedTableSet extends Ordered {
  /** The same on every machine. */
  readonly name: string
  /** The file and the steps of its schema, as it is opened. */
  readonly file: string
  readonly migrations: readonly string[]
  /** A table comes after those that it refers to. */
  readonly tables: readonly SharedTable[]
  /**
   * Called once, before rows of this file are shared for the first time, in a transaction. It makes keys that count from one in every
   * file different from those of others: `base` is a multiple of 2^20 below 2^46, which no other file has.
   */
  readonly prepare?: (database: Database, base: number) => void
}
/** @since 0.2 */
export const SharedTables: ExtensionPoint<SharedTableSet> = extensionPoint(
  'shared-tables',
  (set) => set.name,
  undefined,
  { problem: checkMembers({ name: 'string', file: 'string', migrations: 'list', tables: 'list' }) },
)

/** Sees each database that is opened. @since 0.2 */
export interface DatabaseWatcher extends Ordered {
  readonly name: string
  /**
   * Called when a database was opened. Where the returned function is there, `synced` of the database waits for it, too; `scope` is
   * what the caller gave.
   */
  opened(database: Database): ((scope: string | undefined) => Promise<void>) | undefined
}
/** @since 0.2 */
export const DatabaseWatchers: ExtensionPoint<DatabaseWatcher> = extensionPoint(
  'database-watchers',
  (watcher) => watcher.name,
  undefined,
  { problem: checkMembers({ name: 'string', opened: 'function' }) },
)

const ACCOUNT = 'account:'

/** The scope of the one gateway that is connected to the account of a platform: it writes what it received and what it sends. @since 0.2 */
export function getAccountScope(platform: string): string {
  return `${ACCOUNT}${platform}`
}

/** The same as the `scope` of a `SharedTable` with a column `platform`. @since 0.2 */
export const ACCOUNT_SCOPE_SQL: string = `'${ACCOUNT}' || row.platform`

/** A scope in which this process alone writes. @since 0.2 */
export interface ScopeHold extends AsyncDisposable {
  /** Aborted when it is lost: what is written from then on is taken back, and nothing may have an effect. */
  readonly signal: AbortSignal
  /** Shares what was written, and gives the scope back. Never rejects. */
  release(): Promise<void>
}

/** Provided by the plugin `replication`. @since 0.2 */
export interface SharedScopes {
  /** Whether tables are shared with other machines. Otherwise `hold` is not asked. */
  readonly isShared: boolean
  /**
   * Takes a scope, and brings its rows here. Several holds of one process are one. Throws `SCOPE_HELD` while another process has
   * it, and the codes of `StoreErrorCode`.
   */
  hold(scope: string): Promise<ScopeHold>
  /** Resolves when what others have written up to now is here. Throws the codes of `StoreErrorCode`. */
  follow(): Promise<void>
  /** A number for a row that no other machine gives, larger than all before; undefined where nothing is shared. */
  nextNumber(): number | undefined
  /** Called when rows of others have come in, with the names of their `SharedTableSet`. */
  onChange(listener: (sets: readonly string[]) => void): Registration
}
/** @since 0.2 */
export const SharedScopes: Service<SharedScopes> = defineService('shared-scopes')

/**
 * Takes a scope where tables are shared, undefined where they are not. Throws what `hold` throws, and `SCOPE_UNGUARDED` where
 * tables are to be shared and nothing sees to it that one process at a time writes.
 * @since 0.2
 */
export function holdScope(ctx: Pick<PluginContext<unknown>, 'find'>, scope: string): Promise<ScopeHold> | undefined {
  const scopes = ctx.find(SharedScopes)
  if (scopes?.isShared) return scopes.hold(scope)
  if (!scopes && ctx.find(SharedStore)?.location === 'server')
    throw new SvcError(
      'SCOPE_UNGUARDED',
      'storage.url names a server that several machines share, and the plugin "replication" does not run: nothing is done, so that nothing is done twice. Enable the plugin, or remove storage.url.',
      { status: 503 },
    )
  return undefined
}
