/** The table of sessions: who is who, and what was used last. */
import { type Database, type Message, type SessionSummary, type SqlValue, SvcError, type Usage } from 'svc/sdk'
import { titleOf } from './naming.ts'

/** A session, with the number by which the other tables know it. */
export interface SessionRow extends SessionSummary {
  readonly number: number
}

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
}

type Row = Record<string, SqlValue>

const insertSql = `INSERT INTO sessions (id, surface, cwd, title, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO NOTHING`
const latestSql = `SELECT * FROM sessions
  WHERE message_count > 0 AND surface = coalesce(?, surface) AND cwd = coalesce(?, cwd)
  ORDER BY updated_at DESC, number DESC LIMIT 1`
const listSql = 'SELECT * FROM sessions ORDER BY updated_at DESC, number DESC LIMIT ?'
const tally = (column: string) => `${column} = coalesce(${column} + ?, ${column}, ?)`
const changeSql = `UPDATE sessions SET updated_at = ?, message_count = message_count + ?, title = coalesce(title, ?),
  ${['input_tokens', 'output_tokens', 'cached_input_tokens', 'reasoning_tokens'].map(tally).join(', ')}
  WHERE number = ?`
const setPromptSql = 'INSERT INTO system_prompts (session, data) VALUES (?, ?) ON CONFLICT (session) DO NOTHING'

/** Rows of one open `sessions.db`. */
export class Catalogue {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Whether the id was free. */
  insert({ id, surface, cwd, title, at }: NewSession): boolean {
    const values = [id, surface, cwd, title ?? null, at, at]
    return this.#database.prepare(insertSql).run(...values).changes === 1
  }

  /** Throws `SESSION_NOT_FOUND`. */
  find(id: string): SessionRow {
    const row = this.#database.prepare('SELECT * FROM sessions WHERE id = ?').get(id)
    if (row) return sessionRow(row)
    throw new SvcError('SESSION_NOT_FOUND', `There is no session "${id}". Check the id, or start a new session.`, {
      status: 404,
    })
  }

  latest(where: { readonly surface?: string; readonly cwd?: string }): SessionSummary | undefined {
    const row = this.#database.prepare(latestSql).get(where.surface ?? null, where.cwd ?? null)
    return row && summary(row)
  }

  list(limit: number): SessionSummary[] {
    return this.#database.prepare(listSql).all(limit).map(summary)
  }

  /** Counts messages and tokens, and names a session that has no title after the first text of its user. */
  change(session: number, { at, messages, usage }: SessionChange): void {
    const text = messages.find((message) => message.role === 'user' && titleOf(message.text))?.text
    const tokens = [usage.input, usage.output, usage.cachedInput, usage.reasoning].flatMap((count) => [
      count ?? null,
      count ?? null,
    ])
    const title = text === undefined ? undefined : titleOf(text)
    this.#database.prepare(changeSql).run(at, messages.length, title ?? null, ...tokens, session)
  }

  systemPrompt(session: number): string | undefined {
    const row = this.#database.prepare('SELECT data FROM system_prompts WHERE session = ?').get(session)
    return row && (JSON.parse(String(row['data'])) as string)
  }

  /** Whether there was none before. */
  setSystemPrompt(session: number, text: string): boolean {
    return this.#database.prepare(setPromptSql).run(session, JSON.stringify(text)).changes === 1
  }
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
    usage: usageOf(row),
  }
}

function sessionRow(row: Row): SessionRow {
  return { ...summary(row), number: Number(row['number']) }
}

function usageOf(row: Row): Usage {
  const counts = {
    input: row['input_tokens'],
    output: row['output_tokens'],
    cachedInput: row['cached_input_tokens'],
    reasoning: row['reasoning_tokens'],
  }
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== null))
}
