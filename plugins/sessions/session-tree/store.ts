/** Labels, in `labels.db`. They are kept apart from the sessions, so one that comes back from the trash has its labels again. */
import { existsSync } from 'node:fs'
import { type Database, ManagedDatabase, type Storage } from 'svc/sdk/storage'

/** A label on a message of a session. */
export interface LabelRow {
  readonly session: string
  readonly at: number
  readonly text: string
}

/** Beyond this the oldest labels are removed: those of removed sessions are never read. */
const MAX_LABELS = 10_000

export const migrations: readonly string[] = [
  `
CREATE TABLE labels (session TEXT NOT NULL, at INTEGER NOT NULL, text TEXT NOT NULL, set_at INTEGER NOT NULL,
  PRIMARY KEY (session, at)) WITHOUT ROWID;
CREATE INDEX labels_by_age ON labels (set_at);
`,
]

const sql = {
  of: `SELECT session, at, text FROM labels WHERE session IN (SELECT value FROM json_each(?)) ORDER BY at`,
  set: `INSERT INTO labels (session, at, text, set_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (session, at) DO UPDATE SET text = excluded.text, set_at = excluded.set_at`,
  trim: `DELETE FROM labels WHERE (session, at) IN
    (SELECT session, at FROM labels ORDER BY set_at DESC LIMIT -1 OFFSET ${MAX_LABELS})`,
  remove: 'DELETE FROM labels WHERE session = ? AND at = ?',
  sessions: 'SELECT DISTINCT session FROM labels',
  forget: 'DELETE FROM labels WHERE session IN (SELECT value FROM json_each(?))',
}

/** Every method is one durable step. */
export class LabelStore {
  readonly #database: ManagedDatabase
  readonly #file: string

  constructor(storage: () => Storage, file: string) {
    this.#file = file
    this.#database = new ManagedDatabase(storage, { file, migrations })
  }

  /** By their place. */
  of(sessions: readonly string[]): readonly LabelRow[] {
    return this.#database.use((database) =>
      database.prepare<LabelRow & Record<string, string | number>>(sql.of).all(JSON.stringify(sessions)),
    )
  }

  set({ session, at, text }: LabelRow, setAt: number): void {
    this.#write((database) => {
      database.prepare(sql.set).run(session, at, text, setAt)
      database.prepare(sql.trim).run()
    })
  }

  remove({ session, at }: Pick<LabelRow, 'session' | 'at'>): void {
    this.#write((database) => void database.prepare(sql.remove).run(session, at))
  }

  /** The sessions that have labels. */
  sessions(): readonly string[] {
    if (!existsSync(this.#file)) return []
    const rows = this.#database.use((database) => database.prepare<{ session: string }>(sql.sessions).all())
    return rows.map(({ session }) => session)
  }

  forget(sessions: readonly string[]): void {
    this.#write((database) => void database.prepare(sql.forget).run(JSON.stringify(sessions)))
  }

  close(): void | Promise<void> {
    return this.#database.close()
  }

  #write(work: (database: Database) => void): void {
    this.#database.use((database) => database.transaction(() => work(database), { sync: true }))
  }
}
