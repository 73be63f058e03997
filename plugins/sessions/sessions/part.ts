/** A part of the rows of a session, bounded in rows and in bytes: one message of a tool may be megabytes. */
import type { Database } from 'svc/sdk/storage'

/** Bytes that count as a row: a page. A part ends after as many of them as it may have rows; its last row may go beyond. */
export const ROW_BYTES = 4096

/** The column that orders the rows of a session. */
const keys = { messages: 'position', events: 'seq', edits: 'id', states: 'id' } as const
export type PartTable = keyof typeof keys

/** The last key of a part (the one that it begins after, when it is empty), and how many rows it counts for. */
export interface Part {
  readonly last: number
  readonly weight: number
}

/** `octet_length` knows the length of a text from the head of its row, without reading the text. */
const createSizeQuery = (
  table: PartTable,
  key: string,
) => `SELECT max(key) AS last, count(*) AS rows, sum(bytes) AS bytes FROM (
  SELECT key, bytes, sum(bytes) OVER (ORDER BY key) - bytes AS before FROM (
    SELECT ${key} AS key, octet_length(data) AS bytes FROM ${table} WHERE session = ? AND ${key} > ? ORDER BY ${key} LIMIT ?
  )) WHERE before < ?`

const sql = {
  messages: createSizeQuery('messages', keys.messages),
  events: createSizeQuery('events', keys.events),
  edits: createSizeQuery('edits', keys.edits),
  states: createSizeQuery('states', keys.states),
}
const removeSql = {
  messages: 'DELETE FROM messages WHERE session = ? AND position <= ?',
  events: 'DELETE FROM events WHERE session = ? AND seq <= ?',
  edits: 'DELETE FROM edits WHERE session = ? AND id <= ?',
  states: 'DELETE FROM states WHERE session = ? AND id <= ?',
}

/** Finds the next part of at most `rows` rows, or one row. */
export function cut(database: Database, table: PartTable, session: number, after: number, rows: number): Part {
  const statement = database.prepare<{ last: number | null; rows: number; bytes: number | null }>(sql[table])
  const found = statement.get(session, after, rows, rows * ROW_BYTES)
  if (!found || found.last === null) return { last: after, weight: 0 }
  return { last: found.last, weight: Math.max(found.rows, Math.ceil((found.bytes ?? 0) / ROW_BYTES)) }
}

/** Deletes the first part of at most `rows` rows; how many it counted for. Called inside a transaction. */
export function removePart(database: Database, table: PartTable, session: number, rows: number): number {
  const { last, weight } = cut(database, table, session, 0, rows)
  if (weight > 0) database.prepare(removeSql[table]).run(session, last)
  return weight
}
