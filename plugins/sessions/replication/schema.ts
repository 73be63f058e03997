/** The tables at the server. */
import type { StoreMigration } from 'svc/sdk/store'

/** `version` counts every row that was written; the row of it is the lock that all who write take first. */
interface MetaTable {
  one: number
  version: number
  /** Tells these tables from others at the same address. */
  store: string
}

/** `data` is null for a row that is gone. */
interface RowsTable {
  set_name: string
  tbl: string
  row_key: string
  scope: string
  parent: string | null
  data: string | null
  version: number
  node: string
  /** It was added by one who does not hold the scope. */
  proposed: number
}

/** The process that writes in a scope; none where `runner` is null. */
interface ScopesTable {
  scope: string
  runner: string | null
  epoch: number
}

/** Processes that hold scopes, as long as they say so. */
interface ProcessesTable {
  runner: string
  node: string
  holder: string
  pid: number
  identity: string
  expires_at: number
}

export interface Tables {
  shared_meta: MetaTable
  shared_rows: RowsTable
  shared_scopes: ScopesTable
  shared_processes: ProcessesTable
}

/** `store`: a name that no other store has. A released step is never changed. */
export const createMigrations = (store: string): readonly StoreMigration[] => [
  async ({ db, sql }) => {
    await db.schema
      .createTable('shared_meta')
      .addColumn('one', 'integer', (column) => column.primaryKey())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('store', 'text', (column) => column.notNull())
      .execute()
    await sql`insert into shared_meta (one, version, store) values (1, 0, ${store})`.execute(db)
    await db.schema
      .createTable('shared_rows')
      .addColumn('set_name', 'text', (column) => column.notNull())
      .addColumn('tbl', 'text', (column) => column.notNull())
      .addColumn('row_key', 'text', (column) => column.notNull())
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('parent', 'text')
      .addColumn('data', 'text')
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('node', 'text', (column) => column.notNull())
      .addColumn('proposed', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('shared_rows_key', ['set_name', 'tbl', 'row_key'])
      .execute()
    await db.schema.createIndex('shared_rows_new').on('shared_rows').columns(['set_name', 'version']).execute()
    await db.schema.createIndex('shared_rows_scope').on('shared_rows').columns(['scope', 'version']).execute()
    await db.schema.createIndex('shared_rows_parent').on('shared_rows').columns(['set_name', 'parent']).execute()
    await db.schema
      .createTable('shared_scopes')
      .addColumn('scope', 'text', (column) => column.primaryKey())
      .addColumn('runner', 'text')
      .addColumn('epoch', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('shared_processes')
      .addColumn('runner', 'text', (column) => column.primaryKey())
      .addColumn('node', 'text', (column) => column.notNull())
      .addColumn('holder', 'text', (column) => column.notNull())
      .addColumn('pid', 'integer', (column) => column.notNull())
      .addColumn('identity', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
  },
]
