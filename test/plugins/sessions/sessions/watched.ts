/** A storage that tells of all that is read and written through it. */
import { join } from 'node:path'
import type { Database, SqlValue, Storage } from 'svc/sdk/storage'
import { SessionStore } from '../../../../plugins/sessions/sessions/store.ts'
import { countingRandom } from '../storage/support.ts'
import type { Fixture } from './support.ts'

/** A statement that was run, how many rows it gave or changed, and how SQLite looks for them. */
export interface Ran {
  readonly sql: string
  readonly rows: number
  readonly plan: string
  /** What `get` gave. */
  readonly row?: unknown
}

export function watched(storage: Storage, told: Ran[]): Storage {
  const watch = (database: Database): Database => {
    const readPlan = (sql: string, values: SqlValue[]) => {
      const steps = database.prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...values)
      return steps.map(({ detail }) => detail).join('\n')
    }
    return {
      file: database.file,
      exec: (sql) => database.exec(sql),
      transaction: (work, options) => {
        const result = database.transaction(work, options)
        told.push({ sql: 'COMMIT', rows: 0, plan: '' })
        return result
      },
      hold: () => database.hold(),
      committed: () => database.committed(),
      synced: () => database.synced(),
      close: () => database.close(),
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
      prepare: <Row>(sql: string) => {
        const statement = database.prepare<Row>(sql)
        const { givesRows, isReadOnly } = statement
        return {
          givesRows,
          isReadOnly,
          run: (...values: SqlValue[]) => {
            const done = statement.run(...values)
            told.push({ sql, rows: done.changes, plan: '' })
            return done
          },
          get: (...values: SqlValue[]) => {
            const row = statement.get(...values)
            told.push({ sql, rows: row === undefined ? 0 : 1, plan: readPlan(sql, values), row })
            return row
          },
          all: (...values: SqlValue[]) => {
            const rows = statement.all(...values)
            told.push({ sql, rows: rows.length, plan: readPlan(sql, values) })
            return rows
          },
        }
      },
    }
  }
  return { open: (options) => watch(storage.open(options)) }
}

/** A store on the file of the fixture that tells of what it runs. */
export function watchedStore({ storage, folder, clock, processes }: Fixture, told: Ran[]): SessionStore {
  return new SessionStore({
    storage: () => watched(storage, told),
    file: join(folder, 'sessions.db'),
    clock,
    random: countingRandom(),
    processes,
    trash: join(folder, 'trash'),
  })
}
