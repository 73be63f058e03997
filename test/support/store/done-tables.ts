/** The tables of the processes that work on one queue. */
import type { StoreMigration } from 'svc/sdk/store'

export interface DoneTables {
  done: { n: number; pid: number }
}

export const QUEUE = 'work'

export const migrations: readonly StoreMigration[] = [
  async ({ db }) => {
    // A second note of the same item would be refused.
    await db.schema
      .createTable('done')
      .addColumn('n', 'bigint', (column) => column.primaryKey())
      .addColumn('pid', 'bigint', (column) => column.notNull())
      .execute()
  },
]
