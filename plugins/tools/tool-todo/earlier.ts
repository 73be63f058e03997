/** Plans that an earlier version kept in a separate database. Each moves into its session when that one is first asked for. */
import { existsSync } from 'node:fs'
import type { PlanStep } from 'svc/sdk/sessions'
import { ManagedDatabase, type Storage } from 'svc/sdk/storage'

const MIGRATIONS = [
  `CREATE TABLE plans (session TEXT PRIMARY KEY, changed_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE INDEX plans_by_age ON plans (changed_at);
   CREATE TABLE items (
     session TEXT NOT NULL REFERENCES plans (session) ON DELETE CASCADE,
     place INTEGER NOT NULL,
     id TEXT NOT NULL,
     content TEXT NOT NULL,
     status TEXT NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed', 'cancelled')),
     PRIMARY KEY (session, place)
   ) STRICT, WITHOUT ROWID`,
]

type Row = { readonly id: string; readonly content: string; readonly status: PlanStep['status'] }

export class EarlierPlans {
  readonly #file: string
  readonly #database: ManagedDatabase

  constructor(storage: () => Storage, file: string) {
    this.#file = file
    this.#database = new ManagedDatabase(storage, { file, migrations: MIGRATIONS })
  }

  /** The plan of a session, passed to `keep` before it is removed here; no effect without a plan. */
  move(session: string, keep: (plan: readonly PlanStep[]) => void): void {
    if (!existsSync(this.#file)) return
    this.#database.use((database) => {
      const plan = database
        .prepare<Row>('SELECT id, content, status FROM items WHERE session = ? ORDER BY place')
        .all(session)
        .map(({ id, content, status }) => ({ id, content, status }))
      if (plan.length === 0) return
      keep(plan)
      database.prepare('DELETE FROM plans WHERE session = ?').run(session)
    })
  }

  close(): void | Promise<void> {
    return this.#database.close()
  }
}
