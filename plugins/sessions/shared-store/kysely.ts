/** The library that builds statements, over the connections of an engine. Imported when a store is opened. */
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import type { StoreConnection, StoreDialect } from 'svc/sdk/store'

export { CompiledQuery, sql }

/** Where the library gets a connection for a statement. It is given back after it. */
export type Acquire = () => Promise<StoreConnection>

class EngineConnection implements DatabaseConnection {
  readonly connection: StoreConnection

  constructor(connection: StoreConnection) {
    this.connection = connection
  }

  async executeQuery<R>({ sql: text, parameters }: CompiledQuery) {
    const { rows, changes } = await this.connection.run(text, parameters)
    return { rows: rows as R[], numAffectedRows: BigInt(changes) }
  }

  // biome-ignore lint/correctness/useYield: it has nothing to give
  async *streamQuery<R>(): AsyncGenerator<{ rows: R[] }> {
    throw new TypeError('a shared store has no streams: select in batches')
  }
}

/** Transactions of the library have no part in it: `Transactions` begins and ends them. */
function createDriver(acquire: Acquire): Driver {
  const refuse = async () => {
    throw new TypeError('use transaction() of the shared store')
  }
  return {
    init: async () => {},
    destroy: async () => {},
    acquireConnection: async () => new EngineConnection(await acquire()),
    releaseConnection: async (held) => (held as EngineConnection).connection.giveBack(),
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
  }
}

/** Builds statements in the dialect and runs each on a connection that it acquires. */
export function createQueries(kind: StoreDialect, acquire: Acquire): Kysely<unknown> {
  const isServer = kind === 'postgres'
  const dialect: Dialect = {
    createDriver: () => createDriver(acquire),
    createAdapter: () => (isServer ? new PostgresAdapter() : new SqliteAdapter()),
    createQueryCompiler: () => (isServer ? new PostgresQueryCompiler() : new SqliteQueryCompiler()),
    createIntrospector: (db) => (isServer ? new PostgresIntrospector(db) : new SqliteIntrospector(db)),
  }
  return new Kysely<unknown>({ dialect })
}
