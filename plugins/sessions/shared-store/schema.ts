/** Brings the tables of an owner, and those of the store beside them, to their schema. */
import { errorMessage, SvcError } from 'svc/sdk'
import type { StoreMigration, StoreMigrationTools, StoreServer, StoreTransaction } from 'svc/sdk/store'
import type { Transactions } from './transactions.ts'

/** A released step is never changed. */
const ownSteps: readonly StoreMigration[] = [
  async ({ db, dialect }) => {
    await db.schema
      .createTable('store_locks')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('token', 'bigint', (column) => column.notNull())
      .addColumn('holder', 'text')
      .addColumn('ttl', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('store_items')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('queue', 'text', (column) => column.notNull())
      .addColumn('key', 'text')
      .addColumn('payload', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('due_at', 'bigint', (column) => column.notNull())
      .addColumn('ready_at', 'bigint')
      .addColumn('lease', 'bigint')
      .addColumn('epoch', 'bigint', (column) => column.notNull())
      .addColumn('holder', 'text')
      .addColumn('error', 'text')
      .addColumn('ended_at', 'bigint')
      .addUniqueConstraint('store_items_key', ['queue', 'key'])
      .execute()
    await db.schema.createIndex('store_items_ready').on('store_items').columns(['queue', 'ready_at', 'id']).execute()
    await db.schema.createIndex('store_items_ended').on('store_items').columns(['queue', 'ended_at']).execute()
    // A server has notices of its own.
    if (dialect === 'postgres') return
    await db.schema
      .createTable('store_notices')
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('channel', 'text', (column) => column.notNull())
      .addColumn('notice', 'text', (column) => column.notNull())
      .addColumn('sent_at', 'bigint', (column) => column.notNull())
      .execute()
  },
]

/** What is brought to its schema. */
export interface SchemaDeps {
  readonly server: StoreServer
  readonly transactions: Transactions
  readonly tools: Pick<StoreMigrationTools, 'sql' | 'dialect'>
}

interface Had {
  readonly part: string
  readonly steps: number
}

/** Each step runs in its own transaction, once among all processes. Throws `STORAGE_TOO_NEW` and `STORAGE_MIGRATION_FAILED`. */
export async function bringUpToDate(
  deps: SchemaDeps,
  owner: string,
  migrations: readonly StoreMigration[],
): Promise<void> {
  await deps.transactions.patiently(() => deps.server.prepare(owner))
  await climb(deps, owner, 'store', ownSteps)
  await climb(deps, owner, 'owner', migrations)
}

async function climb(deps: SchemaDeps, owner: string, part: string, steps: readonly StoreMigration[]): Promise<void> {
  // Each statement sees what the process before has committed: that had the lock until then.
  const options = { isolation: 'read-committed' } as const
  while (await deps.transactions.run((tx) => takeStep(deps, tx, { owner, part, steps }), options)) {}
}

interface Climb {
  readonly owner: string
  readonly part: string
  readonly steps: readonly StoreMigration[]
}

/** Whether there is another step after it. */
async function takeStep(
  { server, tools }: SchemaDeps,
  tx: StoreTransaction<unknown>,
  { owner, part, steps }: Climb,
): Promise<boolean> {
  const { sql, dialect } = tools
  await sql.raw(server.lockSchema(owner)).execute(tx)
  await sql`create table if not exists store_schema (part text primary key, steps integer not null)`.execute(tx)
  const { rows } = await sql<Had>`select part, steps from store_schema where part = ${part}`.execute(tx)
  const had = rows[0]?.steps ?? 0
  if (had > steps.length)
    throw new SvcError(
      'STORAGE_TOO_NEW',
      `The tables of "${owner}" have schema ${had}, and this version knows schema ${steps.length}. Update svc or the plugin, or return to the version that wrote them; nothing was changed.`,
    )
  const step = steps[had]
  if (!step) return false
  try {
    await step({
      db: tx as unknown as StoreMigrationTools['db'],
      sql,
      dialect,
      bytes: dialect === 'postgres' ? 'bytea' : 'blob',
    })
  } catch (error) {
    if (server.retries(error)) throw error
    throw new SvcError(
      'STORAGE_MIGRATION_FAILED',
      `Step ${had + 1} of the tables of "${owner}" failed (${errorMessage(error)}) and was taken back. Report this; the older version still reads them.`,
      { cause: error },
    )
  }
  await sql`insert into store_schema (part, steps) values (${part}, ${had + 1})
    on conflict (part) do update set steps = excluded.steps`.execute(tx)
  return had + 1 < steps.length
}
