/** Goals on disk, one for each session: a conversation that is opened again has its goal. */
import { LazyDatabase, type Storage } from 'svc/sdk'
import type { Goal } from './goal.ts'

const migrations = ['CREATE TABLE goals (session TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID']

export class GoalStore {
  readonly #database: LazyDatabase
  readonly #known: Map<string, Goal | undefined> = new Map()

  constructor(storage: () => Storage, file: string) {
    this.#database = new LazyDatabase(storage, { file, migrations })
  }

  get(session: string): Goal | undefined {
    if (!this.#known.has(session)) this.#known.set(session, this.#read(session))
    return this.#known.get(session)
  }

  set(session: string, goal: Goal): void {
    const sql =
      'INSERT INTO goals (session, data) VALUES (?, ?) ON CONFLICT (session) DO UPDATE SET data = excluded.data'
    this.#database.use((database) => database.prepare(sql).run(session, JSON.stringify(goal)))
    this.#known.set(session, goal)
  }

  remove(session: string): void {
    this.#database.use((database) => database.prepare('DELETE FROM goals WHERE session = ?').run(session))
    this.#known.set(session, undefined)
  }

  close(): void | Promise<void> {
    return this.#database.close()
  }

  #read(session: string): Goal | undefined {
    const row = this.#database.use((database) =>
      database.prepare<{ data: string }>('SELECT data FROM goals WHERE session = ?').get(session),
    )
    return row && (JSON.parse(row.data) as Goal)
  }
}
