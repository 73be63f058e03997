/** What keyv keeps its values in, at the server of the shared store: one table for all caches. */
import type { SharedDatabase, SharedStore } from 'svc/sdk/store'

interface Tables {
  values: { key: string; value: string; expires_at: number }
}

/** Values past their time that a write deletes at most: it stays short. */
const MAX_SWEPT = 100

/** Contract: `KeyvStoreAdapter` of keyv (https://keyv.org), as far as caches use it. */
export class StoreAdapter {
  readonly opts = {}
  readonly #database: SharedDatabase<Tables>

  private constructor(database: SharedDatabase<Tables>) {
    this.#database = database
  }

  static async open(store: SharedStore): Promise<StoreAdapter> {
    const database = await store.open<Tables>({
      owner: 'caches',
      migrations: [
        async ({ db }) => {
          await db.schema
            .createTable('values')
            .addColumn('key', 'text', (column) => column.primaryKey())
            .addColumn('value', 'text', (column) => column.notNull())
            .addColumn('expires_at', 'bigint', (column) => column.notNull())
            .execute()
          await db.schema.createIndex('values_by_age').on('values').column('expires_at').execute()
        },
      ],
    })
    return new StoreAdapter(database)
  }

  async get(key: string): Promise<string | undefined> {
    const now = await this.#database.now()
    const row = await this.#database.query
      .selectFrom('values')
      .select('value')
      .where('key', '=', key)
      .where('expires_at', '>', now)
      .executeTakeFirst()
    return row?.value
  }

  /** `ttl` in milliseconds. */
  async set(key: string, value: string, ttl: number): Promise<void> {
    const { query } = this.#database
    const now = await this.#database.now()
    const row = { value, expires_at: Math.ceil(now + ttl) }
    await query
      .insertInto('values')
      .values({ key, ...row })
      .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
      .execute()
    const old = query.selectFrom('values').select('key').where('expires_at', '<=', now).limit(MAX_SWEPT)
    await query.deleteFrom('values').where('key', 'in', old).execute()
  }

  async delete(key: string): Promise<boolean> {
    const { numDeletedRows } = await this.#database.query.deleteFrom('values').where('key', '=', key).executeTakeFirst()
    return numDeletedRows > 0n
  }

  async clear(): Promise<void> {
    await this.#database.query.deleteFrom('values').execute()
  }

  async disconnect(): Promise<void> {
    await this.#database.close()
  }
}
