/** Opens the tables of an owner, with all that takes; imported when the first store is opened. */
import type { SharedStoreOptions } from 'svc/sdk/store'
import { type DatabaseDeps, OwnerDatabase } from './database.ts'
import { refuseName } from './names.ts'
import { bringUpToDate } from './schema.ts'

/** Contract: `open` of `SharedStore`. */
export async function openDatabase(
  { owner, migrations }: SharedStoreOptions,
  deps: Omit<DatabaseDeps, 'owner' | 'library'>,
): Promise<OwnerDatabase> {
  refuseName('an owner', owner)
  const library = await import('./kysely.ts')
  const database = new OwnerDatabase({ ...deps, owner, library })
  try {
    const { server } = deps
    await bringUpToDate(
      { server, transactions: database.transactions, tools: { sql: database.sql, dialect: server.dialect } },
      owner,
      migrations,
    )
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}
