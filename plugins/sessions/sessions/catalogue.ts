/** The table of sessions: their identity and last use. */
import { createHash } from 'node:crypto'
import { type Message, type SessionSummary, SvcError, type Usage } from 'svc/sdk'
import type { SessionFilter, SessionStats } from 'svc/sdk/sessions'
import type { Database, SqlValue } from 'svc/sdk/storage'
import { filterSql, titleTest } from './filter.ts'
import { createTitle } from './naming.ts'

/** A session, with the number by which the other tables know it. */
export interface SessionRow extends SessionSummary {
  readonly number: number
}

/** Which session it is, and what tells whether it was used since. */
export type SessionMark = Pick<SessionRow, 'number' | 'id' | 'updatedAt' | 'messageCount'>

/** What never changes of it. */
export type SessionIdentity = Pick<SessionRow, 'number' | 'id' | 'surface' | 'cwd'>

const identifySql = 'SELECT number, id, surface, cwd FROM sessions WHERE id = ?'
const markSql = 'SELECT number, id, updated_at AS updatedAt, message_count AS messageCount FROM sessions WHERE id = ?'
const marksSql =
  'SELECT s.number, s.id, s.updated_at AS updatedAt, s.message_count AS messageCount, s.title FROM live_sessions s'
/** All that tells whether anything of a session changed. */
const stateSql = `SELECT json_array(updated_at, message_count, title, edition,
  (SELECT max(seq) FROM events WHERE session = number), (SELECT max(position) FROM messages WHERE session = number),
  (SELECT max(id) FROM states WHERE session = number),
  EXISTS (SELECT 1 FROM system_prompts WHERE session = number)) AS state FROM sessions WHERE number = ?`
const useSql = `SELECT (SELECT count(*) FROM live_sessions) AS sessions,
  (SELECT max(updated_at) FROM live_sessions WHERE updated_at < ?) AS newest`
/** Reads the whole table of turns: only people ask for it. */
const withTurnSql = `SELECT s.* FROM live_sessions s JOIN turns t ON t.session = s.number
  WHERE t.id = ? ORDER BY s.number LIMIT 1`
const crashedSql = `SELECT s.* FROM live_sessions s JOIN turns t ON t.session = s.number
  WHERE t.state = 'open' AND t.state <> 'trimmed' AND s.surface = coalesce(?, s.surface) GROUP BY s.number ORDER BY min(t.started_at)`

/** Upwards to the root, and down from there. */
const familySql = `WITH RECURSIVE
  up (id, parent) AS (
    SELECT id, parent FROM live_sessions WHERE id = ?
    UNION SELECT s.id, s.parent FROM live_sessions s JOIN up ON s.id = up.parent
  ),
  down (id) AS (
    SELECT id FROM up WHERE NOT EXISTS (SELECT 1 FROM live_sessions s WHERE s.id = up.parent)
    UNION SELECT s.id FROM live_sessions s JOIN down ON s.parent = down.id
  )
  SELECT s.* FROM live_sessions s WHERE s.id IN (SELECT id FROM down) ORDER BY s.created_at, s.number LIMIT 1000`

/** What a record changes about its session. */
export interface SessionChange {
  readonly at: number
  readonly messages: readonly Message[]
  readonly usage: Usage
}

/** What a new session starts with. */
export interface NewSession {
  readonly id: string
  readonly surface: string
  readonly cwd: string
  readonly title: string | undefined
  readonly at: number
  /** The session it branched off. */
  readonly parent?: string
  readonly branchedAt?: number
}

type Row = Record<string, SqlValue>

/** Characters shown of an unknown id. */
const LONGEST_SHOWN = 100

const insertSql = `INSERT INTO sessions (id, surface, cwd, title, created_at, updated_at, parent, parent_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO NOTHING`
const latestSql = `SELECT * FROM live_sessions
  WHERE message_count > 0 AND surface = coalesce(?, surface) AND cwd = coalesce(?, cwd)
  ORDER BY updated_at DESC, number DESC LIMIT 1`
/** Which column holds which count. */
const usageColumns = {
  input: 'input_tokens',
  output: 'output_tokens',
  cachedInput: 'cached_input_tokens',
  cacheWriteInput: 'cache_write_tokens',
  reasoning: 'reasoning_tokens',
  costUsd: 'cost_usd',
  unpricedCalls: 'unpriced_calls',
} as const satisfies Record<keyof Usage, string>
const usageKeys = Object.keys(usageColumns) as (keyof Usage)[]
const tokenColumns = Object.values(usageColumns)
const tally = (column: string) => `${column} = coalesce(${column} + ?, ${column}, ?)`
const counted = 'updated_at = ?, message_count = message_count + ?, title = coalesce(title, ?)'
const countSql = `UPDATE sessions SET ${counted} WHERE number = ?`
const changeSql = `UPDATE sessions SET ${counted}, ${tokenColumns.map(tally).join(', ')} WHERE number = ?`
const restoreSql = `UPDATE sessions SET updated_at = ?, message_count = ?,
  ${tokenColumns.map((column) => `${column} = ?`).join(', ')} WHERE number = ?`
const totalSql = `SELECT count(*) AS sessions, coalesce(sum(message_count), 0) AS messages,
  ${tokenColumns.map((column) => `sum(${column}) AS ${column}`).join(', ')},
  min(created_at) AS oldest, max(updated_at) AS newest,
  (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size) AS bytes FROM live_sessions`
/** Of `live_sessions`, without a look into `removals` for each. */
const countLiveSql = 'SELECT (SELECT count(*) FROM sessions) - (SELECT count(*) FROM removals) AS count'
const surfacesSql = `SELECT surface, count(*) AS sessions, sum(message_count) AS messages
  FROM live_sessions GROUP BY surface ORDER BY sessions DESC, surface`
const setPromptSql = 'INSERT INTO system_prompts (session, data) VALUES (?, ?) ON CONFLICT (session) DO NOTHING'

/** Rows of one open `sessions.db`. */
export class Catalogue {
  readonly #database: Database
  #kept: { readonly digest: string; readonly text: string } | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** Its number, unless the id was taken. */
  insert({ id, surface, cwd, title, at, parent, branchedAt }: NewSession): number | undefined {
    const values = [id, surface, cwd, title ?? null, at, at, parent ?? null, branchedAt ?? null]
    const { changes, lastInsertRowid } = this.#database.prepare(insertSql).run(...values)
    return changes === 1 ? Number(lastInsertRowid) : undefined
  }

  /** Throws `SESSION_NOT_FOUND`. */
  find(id: string): SessionRow {
    const row = this.#database.prepare('SELECT * FROM sessions WHERE id = ?').get(id)
    if (row) return sessionRow(row)
    throw notFound(id)
  }

  /** The oldest session that has this turn. */
  withTurn(turnId: string): SessionRow | undefined {
    const row = this.#database.prepare(withTurnSql).get(turnId)
    return row && sessionRow(row)
  }

  /** What never changes of a session, which every turn asks for. Throws `SESSION_NOT_FOUND`. */
  identify(id: string): SessionIdentity {
    const row = this.#database.prepare<SessionIdentity & Row>(identifySql).get(id)
    if (row) return row
    throw notFound(id)
  }

  /** Throws `SESSION_NOT_FOUND`. */
  mark(id: string): SessionMark {
    const row = this.#database.prepare<SessionMark & Row>(markSql).get(id)
    if (row) return row
    throw notFound(id)
  }

  /** Whether it is there and was not used since. */
  isAsMarked({ number, id, updatedAt, messageCount }: SessionMark): boolean {
    const row = this.#database.prepare<SessionMark & Row>(markSql).get(id)
    return row?.number === number && row.updatedAt === updatedAt && row.messageCount === messageCount
  }

  /** All that a filter means unless it has a limit, the one used last first: much less to read than `list`. */
  marks(filter: SessionFilter): SessionMark[] {
    const { where, values } = filterSql(filter)
    const { offset = 0, limit = Number.POSITIVE_INFINITY } = filter
    const sql = `${marksSql} WHERE ${where} ORDER BY s.updated_at DESC, s.number DESC`
    const rows = this.#database.prepare<SessionMark & { title: string | null }>(sql).all(...values)
    const isMeant = titleTest(filter)
    const meant = rows.filter(({ title }) => isMeant(title ?? undefined)).slice(offset, offset + limit)
    return meant.map(({ title: _, ...mark }) => mark)
  }

  /** A text that differs after each change of the session; undefined if the session was removed. */
  state(session: number): string | undefined {
    return this.#database.prepare<{ state: string }>(stateSql).get(session)?.state
  }

  latest(where: { readonly surface?: string; readonly cwd?: string }): SessionSummary | undefined {
    const row = this.#database.prepare(latestSql).get(where.surface ?? null, where.cwd ?? null)
    return row && summary(row)
  }

  /** The one used last comes first; all that are meant unless the filter has a limit. */
  list(filter: SessionFilter): SessionRow[] {
    const { where, values } = filterSql(filter)
    // SQLite takes -1 for no limit.
    const { title: wanted, limit = -1, offset = 0 } = filter
    // Titles are compared here: of all sessions only what that takes is read, and the rest of those that are meant.
    if (wanted) return this.marks(filter).flatMap(({ number }) => this.#withNumber(number))
    const sql = `SELECT * FROM live_sessions s WHERE ${where} ORDER BY updated_at DESC, number DESC LIMIT ? OFFSET ?`
    return this.#database
      .prepare(sql)
      .all(...values, limit, offset)
      .map(sessionRow)
  }

  count(): number {
    return this.#database.prepare<{ count: number }>(countLiveSql).get()?.count ?? 0
  }

  /** A list of one or none. */
  #withNumber(number: number): SessionRow[] {
    const row = this.#database.prepare('SELECT * FROM sessions WHERE number = ?').get(number)
    return row ? [sessionRow(row)] : []
  }

  /** How many sessions there are, and when one was last used before this moment. */
  use(before: number): { readonly sessions: number; readonly newest: number | undefined } {
    const { sessions = 0, newest } =
      this.#database.prepare<{ sessions: number; newest: number | null }>(useSql).get(before) ?? {}
    return { sessions, newest: newest ?? undefined }
  }

  /** Contract: `Sessions.family`. Imported archives can make a session its own ancestor: it is then its own root. */
  family(id: string): SessionRow[] {
    const rows = this.#database.prepare(familySql).all(id)
    return rows.length > 0 ? rows.map(sessionRow) : [this.find(id)]
  }

  branchedAt(session: number, at: number): void {
    this.#database.prepare('UPDATE sessions SET parent_at = ? WHERE number = ?').run(at, session)
  }

  /** Sessions with a turn that has not ended, the oldest turn first. */
  withOpenTurns(surface: string | undefined): SessionRow[] {
    return this.#database
      .prepare(crashedSql)
      .all(surface ?? null)
      .map(sessionRow)
  }

  rename(session: number, title: string): void {
    this.#database.prepare('UPDATE sessions SET title = ? WHERE number = ?').run(title, session)
  }

  /** Counts and times as they were where it comes from. */
  restore(session: number, { updatedAt, usage }: SessionSummary, messageCount: number): void {
    const tokens = usageKeys.map((key) => usage[key] ?? null)
    this.#database.prepare(restoreSql).run(updatedAt, messageCount, ...tokens, session)
  }

  stats(): SessionStats {
    const total = this.#database.prepare(totalSql).get() as Row
    const isEmpty = total['oldest'] === null
    const surfaces = this.#database.prepare<{ surface: string; sessions: number; messages: number }>(surfacesSql).all()
    return {
      sessions: Number(total['sessions']),
      messages: Number(total['messages']),
      usage: toUsage(total),
      bytes: Number(total['bytes']),
      surfaces,
      ...(!isEmpty && { oldest: Number(total['oldest']), newest: Number(total['newest']) }),
    }
  }

  /** Counts messages and tokens, and names a session that has no title after the first text of its user. */
  change(session: number, { at, messages, usage }: SessionChange): void {
    const text = messages.find((message) => message.role === 'user' && createTitle(message.text))?.text
    const counts = [at, messages.length, (text === undefined ? undefined : createTitle(text)) ?? null]
    const isFree = usageKeys.every((key) => usage[key] === undefined)
    const tokens = isFree ? [] : usageKeys.flatMap((key) => [usage[key] ?? null, usage[key] ?? null])
    this.#database.prepare(isFree ? countSql : changeSql).run(...counts, ...tokens, session)
  }

  systemPrompt(session: number): string | undefined {
    const row = this.#database.prepare('SELECT data FROM system_prompts WHERE session = ?').get(session)
    return row && (JSON.parse(String(row['data'])) as string)
  }

  /** Its digest. Most turns keep the text that the one before kept. */
  keep(text: string): string {
    if (this.#kept?.text === text) return this.#kept.digest
    const digest = createHash('sha256').update(text).digest('hex')
    this.#addText(digest, text)
    this.#kept = { digest, text }
    return digest
  }

  /** Texts of an archive, by their digests. */
  keepAll(texts: Readonly<Record<string, string>>): void {
    for (const [digest, text] of Object.entries(texts)) this.#addText(digest, text)
  }

  kept(digest: string): string | undefined {
    const row = this.#database.prepare<{ data: string }>('SELECT data FROM kept_texts WHERE digest = ?').get(digest)
    return row?.data
  }

  #addText(digest: string, text: string): void {
    this.#database
      .prepare('INSERT INTO kept_texts (digest, data) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING')
      .run(digest, text)
  }

  /** The next turn rebuilds it. */
  dropSystemPrompt(session: number): void {
    this.#database.prepare('DELETE FROM system_prompts WHERE session = ?').run(session)
  }

  /** Whether there was none before. */
  setSystemPrompt(session: number, text: string): boolean {
    return this.#database.prepare(setPromptSql).run(session, JSON.stringify(text)).changes === 1
  }
}

function notFound(id: string): SvcError {
  const message = `There is no session "${id.slice(0, LONGEST_SHOWN)}". Check the id, or start a new session.`
  return new SvcError('SESSION_NOT_FOUND', message, { status: 404 })
}

function summary(row: Row): SessionSummary {
  return {
    id: String(row['id']),
    surface: String(row['surface']),
    cwd: String(row['cwd']),
    ...(row['title'] !== null && { title: String(row['title']) }),
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
    messageCount: Number(row['message_count']),
    usage: toUsage(row),
    ...(row['parent'] !== null && { parent: String(row['parent']) }),
    ...(row['parent_at'] !== null && { branchedAt: Number(row['parent_at']) }),
  }
}

/** Without the number, which means nothing outside of the database. */
export function toSummary({ number: _, ...summary }: SessionRow): SessionSummary {
  return summary
}

function sessionRow(row: Row): SessionRow {
  return { ...summary(row), number: Number(row['number']) }
}

function toUsage(row: Row): Usage {
  const counts = usageKeys.map((key) => [key, row[usageColumns[key]]] as const)
  return Object.fromEntries(counts.filter(([, count]) => count !== null))
}
