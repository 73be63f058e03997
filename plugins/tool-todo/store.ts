/** Plans on disk, by session. */
import type { Clock, Disposer, Storage } from 'svc/sdk'
import type { Todo, TodoStatus } from './plan.ts'

/** Plans kept; those changed longest ago make room. */
const MOST_PLANS = 1000

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

/** Reads and changes plans. */
export interface TodoStore {
  read(session: string): readonly Todo[]
  /** Puts what `work` makes of the plan in its place, or leaves it when that throws. Returns the new plan. */
  change(session: string, work: (old: readonly Todo[]) => readonly Todo[]): readonly Todo[]
  readonly close: Disposer
}

type Row = { readonly id: string; readonly content: string; readonly status: TodoStatus }

export function openTodos(storage: Storage, clock: Clock, file: string): TodoStore {
  const database = storage.open({ file, migrations: MIGRATIONS })
  const read = (session: string) =>
    database
      .prepare<Row>('SELECT id, content, status FROM items WHERE session = ? ORDER BY place')
      .all(session)
      .map(({ id, content, status }) => ({ id, content, status }))
  const write = (session: string, plan: readonly Todo[]) => {
    const sql = 'INSERT INTO plans VALUES (?, ?) ON CONFLICT (session) DO UPDATE SET changed_at = excluded.changed_at'
    database.prepare(sql).run(session, clock.now())
    database.prepare('DELETE FROM items WHERE session = ?').run(session)
    const insert = database.prepare('INSERT INTO items VALUES (?, ?, ?, ?, ?)')
    for (const [place, { id, content, status }] of plan.entries()) insert.run(session, place, id, content, status)
    const newest = 'SELECT session FROM plans ORDER BY changed_at DESC LIMIT ?'
    database.prepare(`DELETE FROM plans WHERE session NOT IN (${newest})`).run(MOST_PLANS)
  }
  return {
    read,
    change: (session, work) =>
      database.transaction(() => {
        const plan = work(read(session))
        write(session, plan)
        return plan
      }),
    close: database.close,
  }
}
