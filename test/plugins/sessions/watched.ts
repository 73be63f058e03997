/** A storage that tells of all that is read and written through it. */
import type { Database, SqlValue, Storage } from 'svc/sdk'

/** A statement that was run, how many rows it gave or changed, and how SQLite looks for them. */
export interface Ran {
  readonly sql: string
  readonly rows: number
  readonly plan: string
}

export function watched(storage: Storage, told: Ran[]): Storage {
  const watch = (database: Database): Database => {
    const planOf = (sql: string, values: SqlValue[]) => {
      const steps = database.prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...values)
      return steps.map(({ detail }) => detail).join('\n')
    }
    return {
      file: database.file,
      exec: (sql) => database.exec(sql),
      transaction: (work, options) => database.transaction(work, options),
      committed: () => database.committed(),
      synced: () => database.synced(),
      close: () => database.close(),
      prepare: <Row>(sql: string) => {
        const statement = database.prepare<Row>(sql)
        return {
          run: (...values: SqlValue[]) => {
            const done = statement.run(...values)
            told.push({ sql, rows: done.changes, plan: '' })
            return done
          },
          get: (...values: SqlValue[]) => {
            const row = statement.get(...values)
            told.push({ sql, rows: row === undefined ? 0 : 1, plan: planOf(sql, values) })
            return row
          },
          all: (...values: SqlValue[]) => {
            const rows = statement.all(...values)
            told.push({ sql, rows: rows.length, plan: planOf(sql, values) })
            return rows
          },
        }
      },
    }
  }
  return { open: (options) => watch(storage.open(options)) }
}
