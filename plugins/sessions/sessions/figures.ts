/** Figures of sessions for lists: what was answered and done in them, and how they begin. */
import type { Message, Sessions } from 'svc/sdk'
import type { SessionTables } from './session-database.ts'

/** A long message is not parsed for its role, which is written first; in an import it can stand elsewhere. */
const role = `CASE WHEN data LIKE '{"role":"%' THEN substr(data, 10, instr(substr(data, 10, 12), '"') - 1)
  WHEN json_valid(data) THEN json_extract(data, '$.role') END`
const countsSql = `SELECT s.id, s.number, s.edition, total(m.role = 'assistant') AS answers, total(m.role = 'tool') AS toolCalls
  FROM live_sessions s LEFT JOIN (SELECT session, ${role} AS role FROM messages) m ON m.session = s.number
  WHERE s.id IN (SELECT value FROM json_each(?)) GROUP BY s.number`
const firstSql = `SELECT data FROM messages WHERE session = ? AND ${role} = 'user' ORDER BY position LIMIT 1`

const MAX_BEGINNING = 200

interface Counts {
  readonly id: string
  readonly number: number
  readonly edition: number
  readonly answers: number
  readonly toolCalls: number
}

export function readFigures(
  { database, edits }: SessionTables,
  ids: readonly string[],
): ReturnType<Sessions['figures']> {
  const rows = database.prepare<Counts>(countsSql).all(JSON.stringify(ids))
  const first = database.prepare<{ data: string }>(firstSql)
  return new Map(
    rows.map(({ id, number, edition, answers, toolCalls }) => {
      // What was taken back is shown nowhere; only then has all of the session to be read.
      const message = edition === 0 ? parse(first.get(number)) : edits.read(number).find(isUser)?.message
      const begins = message?.text.trim().replaceAll(/\s+/g, ' ').slice(0, MAX_BEGINNING)
      return [id, { answers, toolCalls, ...(begins && { begins }) }]
    }),
  )
}

function parse(row: { readonly data: string } | undefined): Message | undefined {
  return row && (JSON.parse(row.data) as Message)
}

function isUser({ message }: { readonly message: Message }): boolean {
  return message.role === 'user'
}
