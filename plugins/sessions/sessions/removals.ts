/**
 * Sessions that are being removed. The first commit hides a session and frees its id, then its rows go in bounded parts; a
 * crash in between leaves invisible rows, and the next process continues (`removals` in migrations.ts).
 */
import type { Database } from 'svc/sdk/storage'
import { removePart } from './part.ts'

const sql = {
  // An id has no blank, so nothing else can have this one.
  hide: "UPDATE sessions SET id = 'removed ' || number WHERE number = ?",
  mark: 'INSERT INTO removals (session) VALUES (?)',
  isMarked: 'SELECT 1 AS marked FROM removals WHERE session = ?',
  next: 'SELECT session FROM removals ORDER BY session LIMIT 1',
  turns: 'DELETE FROM turns WHERE rowid IN (SELECT rowid FROM turns WHERE session = ? LIMIT ?)',
  end: 'DELETE FROM sessions WHERE number = ?',
} as const

/** The table of one open `sessions.db`. */
export class Removals {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** The session does not exist after this commit. Called inside a transaction. */
  mark(session: number): void {
    this.#database.prepare(sql.hide).run(session)
    this.#database.prepare(sql.mark).run(session)
  }

  isMarked(session: number): boolean {
    return this.#database.prepare(sql.isMarked).get(session) !== undefined
  }

  isEmpty(): boolean {
    return this.#database.prepare(sql.next).get() === undefined
  }

  /** Deletes at most about `rows` rows of marked sessions; whether there are more. Called inside a transaction. */
  removePart(rows: number): boolean {
    for (let left = rows; left > 0; ) {
      const session = this.#database.prepare<{ session: number }>(sql.next).get()?.session
      if (session === undefined) return false
      left -= this.#removeRows(session, left)
    }
    return !this.isEmpty()
  }

  /** How many rows went; the session itself is the last. */
  #removeRows(session: number, rows: number): number {
    for (const table of ['messages', 'events', 'edits', 'states'] as const) {
      const count = removePart(this.#database, table, session, rows)
      // The rest may be large, too: it is a separate part.
      if (count > 0) return count
    }
    const turns = this.#database.prepare(sql.turns).run(session, rows).changes
    if (turns >= rows) return turns
    this.#database.prepare(sql.end).run(session)
    return turns + 1
  }
}
