/** Messages that wait for their turn, on disk: typed messages are not lost with the process. */
import { existsSync } from 'node:fs'
import type { ImageContent, QueuedMessage } from 'svc/sdk'
import { isPidInUse } from 'svc/sdk/kit/process'
import { ManagedDatabase, type Storage } from 'svc/sdk/storage'

const migrations = [
  `CREATE TABLE waiting (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL,
    pid INTEGER NOT NULL,
    text TEXT NOT NULL,
    images TEXT
  );
  CREATE INDEX waiting_by_session ON waiting (session, number);`,
  'ALTER TABLE waiting ADD COLUMN key TEXT',
]

interface Row {
  readonly number: number
  readonly pid: number
  readonly text: string
  readonly images: string | null
  readonly key: string | null
}

/** Text is JSON, because SQLite text cannot hold half a surrogate pair. */
export class WaitingStore {
  readonly #database: ManagedDatabase
  readonly #file: string

  constructor(storage: () => Storage, file: string) {
    this.#file = file
    this.#database = new ManagedDatabase(storage, { file, migrations })
  }

  /** Returns the id under which it is removed. */
  add(session: string, { text, images, key }: Omit<QueuedMessage, 'id'>, pid: number = process.pid): string {
    const sql = 'INSERT INTO waiting (session, pid, text, images, key) VALUES (?, ?, ?, ?, ?)'
    const values = [session, pid, JSON.stringify(text), images ? JSON.stringify(images) : null, key ?? null]
    const { lastInsertRowid } = this.#database.use((database) => database.prepare(sql).run(...values))
    return String(lastInsertRowid)
  }

  remove(id: string): void {
    this.#database.use((database) => database.prepare('DELETE FROM waiting WHERE number = ?').run(Number(id)))
  }

  /** Takes the entries that an ended process left for the session, the oldest first. */
  takeLeft(session: string): readonly QueuedMessage[] {
    return this.#database.use((database) =>
      database.transaction(() => {
        const sql = 'SELECT number, pid, text, images, key FROM waiting WHERE session = ? ORDER BY number'
        const left = database
          .prepare<Row & Record<string, never>>(sql)
          .all(session)
          .filter(({ pid }) => pid === process.pid || !isPidInUse(pid))
        const claim = database.prepare('UPDATE waiting SET pid = ? WHERE number = ?')
        for (const { number } of left) claim.run(process.pid, number)
        return left.map(({ number, text, images, key }) => ({
          id: String(number),
          text: JSON.parse(text) as string,
          ...(images !== null && { images: JSON.parse(images) as readonly ImageContent[] }),
          ...(key !== null && { key }),
        }))
      }),
    )
  }

  /** The sessions in which something waits. */
  sessions(): readonly string[] {
    if (!existsSync(this.#file)) return []
    const sql = 'SELECT DISTINCT session FROM waiting'
    return this.#database.use((database) => database.prepare<{ session: string }>(sql).all()).map((row) => row.session)
  }

  forget(sessions: readonly string[]): void {
    const sql = 'DELETE FROM waiting WHERE session IN (SELECT value FROM json_each(?))'
    this.#database.use((database) => database.prepare(sql).run(JSON.stringify(sessions)))
  }

  close(): void | Promise<void> {
    return this.#database.close()
  }
}
