/** Events that were taken and answers that were delivered, in `webhook.db`: what a restart must not forget. */
import { type Database, ManagedDatabase, type Storage } from 'svc/sdk/storage'
import type { Destination } from './destination.ts'

/** An event on its way in. */
export interface Arrival {
  readonly route: string
  readonly id: string
  /** Of what was signed. */
  readonly mark: string | undefined
  readonly event: string
  readonly destination: Destination
  readonly at: number
}

export const migrations: readonly string[] = [
  `
CREATE TABLE events (
  route TEXT NOT NULL,
  id TEXT NOT NULL,
  mark TEXT,
  event TEXT NOT NULL,
  destination TEXT NOT NULL,
  taken INTEGER NOT NULL DEFAULT 0,
  at INTEGER NOT NULL,
  PRIMARY KEY (route, id)
);
CREATE INDEX events_marked ON events (route, mark);
CREATE INDEX events_aged ON events (at);
CREATE TABLE receipts (key TEXT PRIMARY KEY, receipt TEXT NOT NULL, at INTEGER NOT NULL);
CREATE INDEX receipts_aged ON receipts (at);
`,
]
/** A turn may take days if it waits for a person. */
const KEEP_MS = 30 * 86_400_000

/** Every method is one durable step. */
export class EventStore {
  readonly #database: ManagedDatabase

  constructor(storage: () => Storage, file: string) {
    this.#database = new ManagedDatabase(storage, { file, migrations })
  }

  /** The id under which this event, or the very same signed content, was taken since then. */
  taken({ route, id, mark }: Pick<Arrival, 'route' | 'id' | 'mark'>, since: number): string | undefined {
    const sql = 'SELECT id FROM events WHERE route = ? AND (id = ? OR mark = ?) AND taken = 1 AND at > ?'
    return this.#database.use(
      (database) => database.prepare<{ id: string }>(sql).get(route, id, mark ?? null, since)?.id,
    )
  }

  /** Writes down where the answer will go. True when it was tried before and did not get through. */
  begin({ route, id, mark, event, destination, at }: Arrival): boolean {
    return this.#write((database) => {
      database.prepare('DELETE FROM events WHERE at < ?').run(at - KEEP_MS)
      database.prepare('DELETE FROM receipts WHERE at < ?').run(at - KEEP_MS)
      const before = database.prepare('SELECT 1 FROM events WHERE route = ? AND id = ? AND taken = 0').get(route, id)
      database
        .prepare('INSERT OR REPLACE INTO events VALUES (?, ?, ?, ?, ?, 0, ?)')
        .run(route, id, mark ?? null, event, JSON.stringify(destination), at)
      return before !== undefined
    })
  }

  /** It got through: it is not taken again. */
  take(route: string, id: string): void {
    this.#write((database) => database.prepare('UPDATE events SET taken = 1 WHERE route = ? AND id = ?').run(route, id))
  }

  /** The destination of the answer to an event, and when it was stored. */
  destination(route: string, id: string): { readonly destination: Destination; readonly at: number } | undefined {
    const sql = 'SELECT destination, at FROM events WHERE route = ? AND id = ?'
    const row = this.#database.use((database) =>
      database.prepare<{ destination: string; at: number }>(sql).get(route, id),
    )
    return row && { destination: JSON.parse(row.destination) as Destination, at: row.at }
  }

  /** What became of an answer that was delivered. */
  receipt(key: string): string | undefined {
    const sql = 'SELECT receipt FROM receipts WHERE key = ?'
    return this.#database.use((database) => database.prepare<{ receipt: string }>(sql).get(key)?.receipt)
  }

  delivered(key: string, receipt: string, at: number): void {
    this.#write((database) =>
      database.prepare('INSERT OR REPLACE INTO receipts VALUES (?, ?, ?)').run(key, receipt, at),
    )
  }

  close(): void | Promise<void> {
    return this.#database.close()
  }

  #write<T>(work: (database: Database) => T): T {
    return this.#database.use((database) => database.transaction(() => work(database), { sync: true }))
  }
}
