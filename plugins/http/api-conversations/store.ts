/** Conversations and their items, in `conversations.db`. */
import { type Database, ManagedDatabase, type SqlValue, type Storage } from 'svc/sdk/storage'
import type { ApiConversations, ApiItem } from 'svc/sdk/web'

/** A conversation without its items. */
export interface ConversationRow {
  readonly id: string
  readonly createdAt: number
  readonly metadata: Readonly<Record<string, string>>
}

/** Where the session of a conversation stands that has all its items; undefined: no session has them. */
type SessionPosition = Parameters<ApiConversations['append']>[3]

/** A part of the items. */
export interface ItemPage {
  readonly order: 'asc' | 'desc'
  readonly limit: number
  /** The id of the last item of the page before. */
  readonly after?: string | undefined
}

/** Of those that were not used for longest, more go. */
const MAX_CONVERSATIONS = 10_000
/** As many as one request may have. */
export const MAX_ITEMS = 4000

const migrations = [
  `
CREATE TABLE conversations (id TEXT PRIMARY KEY, scope TEXT NOT NULL, created_at INTEGER NOT NULL, used_at INTEGER NOT NULL,
  metadata TEXT NOT NULL, session TEXT, seq INTEGER);
CREATE INDEX conversations_used ON conversations (used_at);
CREATE TABLE items (number INTEGER PRIMARY KEY AUTOINCREMENT, conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  id TEXT NOT NULL, data TEXT NOT NULL, UNIQUE (conversation, id));
CREATE INDEX items_order ON items (conversation, number);
`,
]

/** Every method is one durable step. */
export class ConversationStore {
  readonly #database: ManagedDatabase

  constructor(storage: () => Storage, file: string) {
    this.#database = new ManagedDatabase(storage, { file, migrations })
  }

  create({ id, createdAt, metadata }: ConversationRow, scope: string, items: readonly ApiItem[]): void {
    this.#write((database) => {
      const sql = 'INSERT INTO conversations (id, scope, created_at, used_at, metadata) VALUES (?, ?, ?, ?, ?)'
      database.prepare(sql).run(id, scope, createdAt, createdAt, JSON.stringify(metadata))
      addItems(database, id, items)
      database
        .prepare(
          'DELETE FROM conversations WHERE id IN (SELECT id FROM conversations ORDER BY used_at DESC, rowid DESC LIMIT -1 OFFSET ?)',
        )
        .run(MAX_CONVERSATIONS)
    })
  }

  find(id: string, scope: string): ConversationRow | undefined {
    const sql = 'SELECT id, created_at AS createdAt, metadata FROM conversations WHERE id = ? AND scope = ?'
    const row = this.#row<{ id: string; createdAt: number; metadata: string }>(sql, id, scope)
    return row && { ...row, metadata: JSON.parse(row.metadata) as ConversationRow['metadata'] }
  }

  setMetadata(id: string, metadata: ConversationRow['metadata']): void {
    const sql = 'UPDATE conversations SET metadata = ? WHERE id = ?'
    this.#write((database) => database.prepare(sql).run(JSON.stringify(metadata), id))
  }

  remove(id: string): void {
    this.#write((database) => database.prepare('DELETE FROM conversations WHERE id = ?').run(id))
  }

  count(id: string): number {
    const sql = 'SELECT count(*) AS count FROM items WHERE conversation = ?'
    return this.#row<{ count: number }>(sql, id)?.count ?? 0
  }

  /** One more than the limit when there are more; undefined when `after` is not one of them. */
  page(id: string, { order, limit, after }: ItemPage): readonly ApiItem[] | undefined {
    const [compare, direction] = order === 'asc' ? ['>', 'ASC'] : ['<', 'DESC']
    const from = after === undefined ? undefined : this.#findItemNumber(id, after)
    if (after !== undefined && from === undefined) return undefined
    const sql = `SELECT data FROM items WHERE conversation = ? AND (? IS NULL OR number ${compare} ?) ORDER BY number ${direction} LIMIT ?`
    return this.#items(sql, id, from ?? null, from ?? null, limit + 1)
  }

  item(id: string, item: string): ApiItem | undefined {
    return this.#items('SELECT data FROM items WHERE conversation = ? AND id = ?', id, item)[0]
  }

  /** A client changed what was said: no session has the same any more. */
  add(id: string, items: readonly ApiItem[]): void {
    this.#write((database) => {
      addItems(database, id, items)
      forgetPlace(database, id)
    })
  }

  /** False if the item does not exist. */
  removeItem(id: string, item: string): boolean {
    return this.#write((database) => {
      const { changes } = database.prepare('DELETE FROM items WHERE conversation = ? AND id = ?').run(id, item)
      if (changes > 0) forgetPlace(database, id)
      return changes > 0
    })
  }

  content(id: string, scope: string): ReturnType<ApiConversations['find']> {
    const sql = 'SELECT session, seq FROM conversations WHERE id = ? AND scope = ?'
    const row = this.#row<{ session: string | null; seq: number | null }>(sql, id, scope)
    if (!row) return undefined
    const items = () => this.#items('SELECT data FROM items WHERE conversation = ? ORDER BY number', id)
    const { session, seq } = row
    return { items, ...(session !== null && seq !== null && { place: { sessionId: session, seq } }) }
  }

  /** Adds what a response said and answered. Of a conversation that is full the oldest items go. */
  append({
    id,
    scope,
    items,
    place,
    at,
  }: {
    id: string
    scope: string
    items: readonly ApiItem[]
    place: SessionPosition
    at: number
  }): void {
    this.#write((database) => {
      const sql = 'UPDATE conversations SET session = ?, seq = ?, used_at = ? WHERE id = ? AND scope = ?'
      const { changes } = database.prepare(sql).run(place?.sessionId ?? null, place?.seq ?? null, at, id, scope)
      if (changes === 0) return
      addItems(database, id, items)
      database
        .prepare(
          'DELETE FROM items WHERE number IN (SELECT number FROM items WHERE conversation = ? ORDER BY number DESC LIMIT -1 OFFSET ?)',
        )
        .run(id, MAX_ITEMS)
    })
  }

  close(): void | Promise<void> {
    return this.#database.close()
  }

  #findItemNumber(id: string, item: string): number | undefined {
    const sql = 'SELECT number FROM items WHERE conversation = ? AND id = ?'
    return this.#row<{ number: number }>(sql, id, item)?.number
  }

  #items(sql: string, ...values: SqlValue[]): readonly ApiItem[] {
    return this.#database.use((database) =>
      database
        .prepare<{ data: string }>(sql)
        .all(...values)
        .map(({ data }) => JSON.parse(data) as ApiItem),
    )
  }

  #row<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#database.use((database) => database.prepare<Row>(sql).get(...values))
  }

  #write<T>(work: (database: Database) => T): T {
    return this.#database.use((database) => database.transaction(() => work(database)))
  }
}

/** One that is added again keeps its position. */
function addItems(database: Database, id: string, items: readonly ApiItem[]): void {
  const add = database.prepare(
    'INSERT INTO items (conversation, id, data) VALUES (?, ?, ?) ON CONFLICT (conversation, id) DO UPDATE SET data = excluded.data',
  )
  for (const item of items) add.run(id, item.id, JSON.stringify(item))
}

function forgetPlace(database: Database, id: string): void {
  database.prepare('UPDATE conversations SET session = NULL, seq = NULL WHERE id = ?').run(id)
}
