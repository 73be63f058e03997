/**
 * What the server remembers, in `api.db`: responses, which session continues which conversation, keys of requests,
 * runs.
 */
import { existsSync } from 'node:fs'
import type { Logger } from 'svc/sdk'
import { type Database, ManagedDatabase, type SqlValue, type Storage } from 'svc/sdk/storage'
import { migrations } from './migrations.ts'
import { getRequestScope } from './shared.ts'

/** A place in a session: everything up to an event. */
export interface SessionPosition {
  readonly sessionId: string
  readonly seq: number
}

/** A response with its position. */
export interface StoredResponse extends SessionPosition {
  readonly id: string
  /** The response object as it was sent. */
  readonly data: string
}

/** How a response ended. */
export interface EndedResponse extends StoredResponse {
  /** The chain whose latest one it is now. */
  readonly name: string | undefined
  /** What its messages say, by their ids. */
  readonly texts: ReadonlyMap<string, string>
}

/** A request that came with an idempotency key. `reply` is absent while it is being processed. */
export interface KeptRequest {
  readonly fingerprint: string
  readonly reply?: KeptReply
}

/** A reply, whole. */
export interface KeptReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A stored run; `data` holds its other facts. */
export interface RunRow {
  readonly id: string
  readonly isOver: boolean
  readonly data: string
}

const MAX_RESPONSES = 100
const MAX_CONVERSATIONS = 20_000
const MAX_ITEMS = 5000
const MAX_PLAIN = 1000

/** Every method is one durable step, but `remember`, whose loss costs one new session. */
export class ApiStore {
  readonly #database: ManagedDatabase
  readonly #log: Logger
  readonly #file: string
  /** Conversations that wait to be written. */
  #fresh = new Map<string, SessionPosition>()
  readonly #plain = new Set<string>()

  constructor(storage: () => Storage, file: string, log: Logger) {
    this.#file = file
    this.#database = new ManagedDatabase(storage, { file, migrations })
    this.#log = log
  }

  /** Stores a response that has begun, with its input. The least recently used finished one is evicted. */
  putResponse(scope: string, { id, sessionId, data }: Omit<StoredResponse, 'seq'>, input: string, now: number): void {
    this.#write((database) => {
      database
        .prepare(
          'INSERT INTO responses (id, scope, session, seq, data, accessed_at, input, is_over) VALUES (?, ?, ?, 0, ?, ?, ?, 0)',
        )
        .run(id, scope, sessionId, data, now, input)
      database
        .prepare(
          'DELETE FROM responses WHERE id IN (SELECT id FROM responses WHERE is_over = 1 ORDER BY accessed_at DESC, rowid DESC LIMIT -1 OFFSET ?)',
        )
        .run(MAX_RESPONSES - 1)
    })
  }

  /** Keeps how it ended, unless it was removed meanwhile. */
  endResponse(scope: string, { id, seq, data, name, texts }: EndedResponse, now: number): void {
    this.#write((database) => {
      const sql = 'UPDATE responses SET seq = ?, data = ?, accessed_at = ?, is_over = 1 WHERE id = ?'
      if (database.prepare(sql).run(seq, data, now, id).changes === 0) return
      if (name !== undefined)
        database
          .prepare(
            'INSERT INTO names VALUES (?, ?, ?) ON CONFLICT (scope, name) DO UPDATE SET response = excluded.response',
          )
          .run(scope, name, id)
      const add = database.prepare('INSERT OR REPLACE INTO items (id, scope, text) VALUES (?, ?, ?)')
      for (const [item, text] of texts) add.run(item, scope, text)
      database.prepare('DELETE FROM items WHERE number <= (SELECT max(number) FROM items) - ?').run(MAX_ITEMS)
    })
  }

  /** Those without an end. */
  openResponses(): readonly (StoredResponse & { readonly scope: string })[] {
    const sql = 'SELECT id, scope, session AS sessionId, seq, data FROM responses WHERE is_over = 0 ORDER BY rowid'
    return this.#database.use((database) => database.prepare<StoredResponse & { scope: string }>(sql).all())
  }

  /** What was said to a response, as JSON. */
  findInput(scope: string, id: string): string | undefined {
    return this.#row<{ input: string }>('SELECT input FROM responses WHERE id = ? AND scope = ?', id, scope)?.input
  }

  /** What a message says that a response had. */
  itemText(scope: string, id: string): string | undefined {
    return this.#row<{ text: string }>('SELECT text FROM items WHERE id = ? AND scope = ?', id, scope)?.text
  }

  response(scope: string, id: string, now: number): StoredResponse | undefined {
    return this.#database.use((database) => {
      const row = database
        .prepare<{ id: string; sessionId: string; seq: number; data: string }>(
          'SELECT id, session AS sessionId, seq, data FROM responses WHERE id = ? AND scope = ?',
        )
        .get(id, scope)
      if (row) database.prepare('UPDATE responses SET accessed_at = ? WHERE id = ?').run(now, id)
      return row
    })
  }

  /** The response that a name leads to. */
  named(scope: string, name: string): string | undefined {
    const sql = 'SELECT response FROM names WHERE scope = ? AND name = ?'
    return this.#row<{ response: string }>(sql, scope, name)?.response
  }

  removeResponse(scope: string, id: string): boolean {
    const sql = 'DELETE FROM responses WHERE id = ? AND scope = ?'
    return this.#write((database) => database.prepare(sql).run(id, scope).changes === 1)
  }

  /** Which session these words lead to. Written together with what else comes in this moment. */
  remember(words: string, place: SessionPosition): void {
    if (this.#fresh.size === 0) setImmediate(() => this.#flush())
    this.#fresh.set(words, place)
  }

  recall(words: string): SessionPosition | undefined {
    const sql = 'SELECT session AS sessionId, seq FROM conversations WHERE words = ?'
    return this.#fresh.get(words) ?? this.#row<SessionPosition>(sql, words)
  }

  /** Their session has been continued. */
  forget(words: string): void {
    if (this.#fresh.delete(words)) return
    this.#write((database) => database.prepare('DELETE FROM conversations WHERE words = ?').run(words))
  }

  #flush(): void {
    const batch = this.#fresh
    if (batch.size === 0) return
    this.#fresh = new Map()
    try {
      this.#write((database) => {
        const add = database.prepare('INSERT OR REPLACE INTO conversations (words, session, seq) VALUES (?, ?, ?)')
        for (const [words, { sessionId, seq }] of batch) add.run(words, sessionId, seq)
        database
          .prepare('DELETE FROM conversations WHERE number <= (SELECT max(number) FROM conversations) - ?')
          .run(MAX_CONVERSATIONS)
      })
    } catch (error) {
      this.#log.error('the API server could not record where conversations continue', { error })
    }
  }

  /** No lookup is needed: the session has just been created. */
  noInstructions(sessionId: string): void {
    if (this.#plain.size >= MAX_PLAIN) this.#plain.clear()
    this.#plain.add(sessionId)
  }

  setInstructions(sessionId: string, text: string): void {
    this.#plain.delete(sessionId)
    this.#write((database) =>
      database
        .prepare('INSERT INTO instructions VALUES (?, ?) ON CONFLICT (session) DO UPDATE SET data = excluded.data')
        .run(sessionId, text),
    )
  }

  /** The sessions that responses, instructions and conversations belong to. */
  sessions(): readonly string[] {
    if (!existsSync(this.#file)) return []
    const sql =
      'SELECT session FROM responses UNION SELECT session FROM instructions UNION SELECT session FROM conversations'
    return this.#database.use((database) => database.prepare<{ session: string }>(sql).all()).map((row) => row.session)
  }

  /** Whose session it was stays: one that comes back from an export belongs to its client, not to all. */
  forgetSessions(sessions: readonly string[]): void {
    this.#write((database) => {
      for (const table of ['responses', 'instructions', 'conversations'])
        database
          .prepare(`DELETE FROM ${table} WHERE session IN (SELECT value FROM json_each(?))`)
          .run(JSON.stringify(sessions))
    })
  }

  instructions(sessionId: string): string | undefined {
    if (this.#plain.has(sessionId)) return undefined
    return this.#row<{ data: string }>('SELECT data FROM instructions WHERE session = ?', sessionId)?.data
  }

  /** Whose session it is; undefined for one that everybody may have. */
  owner(sessionId: string): string | undefined {
    return this.#row<{ scope: string }>('SELECT scope FROM owners WHERE session = ?', sessionId)?.scope
  }

  hasOwners(): boolean {
    return this.#row('SELECT 1 FROM owners LIMIT 1') !== undefined
  }

  /** An empty scope leaves it to everybody. */
  setOwner(sessionId: string, scope: string): void {
    if ((this.owner(sessionId) ?? '') === scope) return
    this.#write((database) => {
      if (scope === '') database.prepare('DELETE FROM owners WHERE session = ?').run(sessionId)
      else database.prepare('INSERT OR REPLACE INTO owners VALUES (?, ?)').run(sessionId, scope)
    })
  }

  /** The request of this key, or undefined when it is taken now; keys from before `oldest` are free again. */
  takeKey(key: string, fingerprint: string, { now, oldest }: { now: number; oldest: number }): KeptRequest | undefined {
    return this.#write((database) => {
      database.prepare('DELETE FROM requests WHERE at < ?').run(oldest)
      const row = database
        .prepare<{ fingerprint: string; reply: string | null }>('SELECT fingerprint, reply FROM requests WHERE key = ?')
        .get(key)
      if (row) return { fingerprint: row.fingerprint, ...(row.reply && { reply: JSON.parse(row.reply) as KeptReply }) }
      database.prepare('INSERT INTO requests VALUES (?, ?, ?, NULL)').run(key, fingerprint, now)
      return undefined
    })
  }

  /** Keeps the reply; without one the key is free again. */
  settleKey(key: string, reply: KeptReply | undefined): void {
    this.#write((database) => {
      if (reply) database.prepare('UPDATE requests SET reply = ? WHERE key = ?').run(JSON.stringify(reply), key)
      else database.prepare('DELETE FROM requests WHERE key = ?').run(key)
    })
  }

  /** Resolves when other machines know that the key is taken, or its reply. Throws `SCOPE_HELD` when it is another's by now. */
  synced(key: string): Promise<void> {
    return this.#database.use((database) => database.synced(getRequestScope(key)))
  }

  /** Forgets runs that ended before `oldest`. */
  putRun({ id, isOver, data }: RunRow, { now, oldest }: { now: number; oldest: number }): void {
    this.#write((database) => {
      database
        .prepare(
          `INSERT INTO runs VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET is_over = excluded.is_over, at = excluded.at, data = excluded.data`,
        )
        .run(id, isOver ? 1 : 0, now, data)
      database.prepare('DELETE FROM runs WHERE is_over = 1 AND at < ?').run(oldest)
    })
  }

  run(id: string): string | undefined {
    return this.#row<{ data: string }>('SELECT data FROM runs WHERE id = ?', id)?.data
  }

  /** Those that had not ended, oldest first. */
  openRuns(): string[] {
    const sql = 'SELECT data FROM runs WHERE is_over = 0 ORDER BY at, id'
    return this.#database.use((database) =>
      database
        .prepare<{ data: string }>(sql)
        .all()
        .map(({ data }) => data),
    )
  }

  close(): void | Promise<void> {
    this.#flush()
    return this.#database.close()
  }

  #row<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#database.use((database) => database.prepare<Row>(sql).get(...values))
  }

  #write<T>(work: (database: Database) => T): T {
    return this.#database.use((database) => database.transaction(() => work(database)))
  }
}
