/** The service: its token and interface are what other plugins import, and a database holds the bookmarks. */
import { defineService, type Service } from 'svc/sdk'
import { ManagedDatabase, type Storage } from 'svc/sdk/storage'

export interface Bookmark {
  readonly url: string
  readonly title: string
  /** Milliseconds since 1970. */
  readonly addedAt: number
}

export interface Bookmarks {
  /** Adds one, or renames the one with this address. */
  add(url: string, title: string): void
  /** Newest first. */
  list(): readonly Bookmark[]
  /** Removes those that were added before this time, and returns how many. */
  removeBefore(time: number): number
}
export const Bookmarks: Service<Bookmarks> = defineService('bookmarks')

/** Add a step at the end to change the table: each step runs once in every database. */
const MIGRATIONS = ['CREATE TABLE bookmarks (url TEXT PRIMARY KEY, title TEXT NOT NULL, added_at INTEGER NOT NULL)']

/** Contract: `Bookmarks`. */
export class StoredBookmarks implements Bookmarks {
  readonly #database: ManagedDatabase
  readonly #now: () => number

  constructor(storage: () => Storage, file: string, now: () => number) {
    this.#database = new ManagedDatabase(storage, { file, migrations: MIGRATIONS })
    this.#now = now
  }

  add(url: string, title: string): void {
    const sql = 'INSERT INTO bookmarks VALUES (?, ?, ?) ON CONFLICT (url) DO UPDATE SET title = excluded.title'
    this.#database.use((database) => database.prepare(sql).run(url, title, this.#now()))
  }

  list(): readonly Bookmark[] {
    const sql = 'SELECT url, title, added_at AS addedAt FROM bookmarks ORDER BY added_at DESC, url'
    return this.#database.use((database) => database.prepare<{ [K in keyof Bookmark]: Bookmark[K] }>(sql).all())
  }

  removeBefore(time: number): number {
    const sql = 'DELETE FROM bookmarks WHERE added_at < ?'
    return this.#database.use((database) => database.prepare(sql).run(time).changes)
  }

  close(): void | Promise<void> {
    return this.#database.close()
  }
}
