/** On disk, by session: the effect of compressions, so that useless ones end, and which process runs one now. */
import type { Clock } from 'svc/sdk'
import { type Database, ManagedDatabase, type Storage } from 'svc/sdk/storage'

/** How the compressions of a session went. */
export interface Past {
  /** `Session.edition()` after the last one, and the threshold then. */
  readonly edition: number
  readonly threshold: number
  readonly count: number
  /** In a row: those after which the model still read too much, and those without a model's summary. */
  readonly ineffective: number
  readonly fallbacks: number
  /** Milliseconds since 1970; no automatic one is tried before. */
  readonly restUntil: number
}

export const NO_PAST: Past = { edition: 0, threshold: 0, count: 0, ineffective: 0, fallbacks: 0, restUntil: 0 }

const MAX_RECORDS = 1000
/** A holder that says nothing for so long has died. */
export const LEASE_MS = 120_000

const migrations = [
  `CREATE TABLE records (
     session TEXT PRIMARY KEY,
     edition INTEGER NOT NULL,
     threshold INTEGER NOT NULL,
     count INTEGER NOT NULL,
     ineffective INTEGER NOT NULL,
     fallbacks INTEGER NOT NULL,
     rest_until INTEGER NOT NULL,
     changed_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX records_by_age ON records (changed_at);
   CREATE TABLE locks (
     session TEXT PRIMARY KEY,
     holder TEXT NOT NULL,
     expires_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID`,
]

const sql = {
  read: `SELECT edition, threshold, count, ineffective, fallbacks, rest_until AS restUntil FROM records
    WHERE session = ?`,
  write: 'INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  prune: 'DELETE FROM records WHERE session NOT IN (SELECT session FROM records ORDER BY changed_at DESC LIMIT ?)',
  lock: `INSERT INTO locks VALUES (?, ?, ?) ON CONFLICT (session) DO UPDATE
    SET holder = excluded.holder, expires_at = excluded.expires_at WHERE expires_at <= ? OR holder = excluded.holder`,
  sessions: 'SELECT session FROM records',
  forget: 'DELETE FROM records WHERE session IN (SELECT value FROM json_each(?))',
  unlock: 'DELETE FROM locks WHERE session = ? AND holder = ?',
} as const

/** `compression.db`; it is opened when a compression is first thought of. */
export class CompressionStore {
  readonly #database: ManagedDatabase
  readonly #clock: () => Clock

  constructor(ports: { readonly storage: () => Storage; readonly clock: () => Clock; readonly file: string }) {
    this.#database = new ManagedDatabase(ports.storage, { file: ports.file, migrations })
    this.#clock = ports.clock
  }

  read(session: string): Past {
    return this.#database.use((database) => database.prepare<Past>(sql.read).get(session)) ?? NO_PAST
  }

  write(session: string, past: Past): void {
    const { edition, threshold, count, ineffective, fallbacks, restUntil } = past
    this.#transaction((database) => {
      const values = [session, edition, threshold, count, ineffective, fallbacks, restUntil, this.#clock().now()]
      database.prepare(sql.write).run(...values)
      database.prepare(sql.prune).run(MAX_RECORDS)
    })
  }

  /** Takes the lock of a session, or keeps it for longer; false while another holder is alive. */
  lock(session: string, holder: string): boolean {
    const now = this.#clock().now()
    return this.#transaction((database) => {
      return database.prepare(sql.lock).run(session, holder, now + LEASE_MS, now).changes > 0
    })
  }

  unlock(session: string, holder: string): void {
    this.#transaction((database) => database.prepare(sql.unlock).run(session, holder))
  }

  sessions(): readonly string[] {
    const rows = this.#database.use((database) => database.prepare<{ session: string }>(sql.sessions).all())
    return rows.map(({ session }) => session)
  }

  forget(sessions: readonly string[]): void {
    this.#transaction((database) => database.prepare(sql.forget).run(JSON.stringify(sessions)))
  }

  close(): void | Promise<void> {
    return this.#database.close()
  }

  #transaction<T>(work: (database: Database) => T): T {
    return this.#database.use((database) => database.transaction(() => work(database)))
  }
}
