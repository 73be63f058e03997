/** Full-text search: the index proposes messages, newest first, and each is looked at before it counts. */
import type { Database, Message, SessionHit, SessionSearch, SqlValue } from 'svc/sdk'
import { takenBack } from './edits.ts'
import { filterSql, titleTest } from './filter.ts'
import { matcherOf, type Narrowing, narrow, searchableText, termsOf } from './query.ts'
import { snippetOf } from './snippet.ts'

interface Candidate {
  readonly id: number
  readonly position: number
  readonly at: number
  readonly data: string
  readonly sessionId: string
  readonly title: string | null
}

const hitLimit = 20
/** Rows are read in pages, because most of what is proposed is a hit and the rest need not be read. */
const pageRows = 100
/** Messages that one transaction of a search indexes: about 40 ms. */
const INDEXED_AT_ONCE = 500

/** Puts this many messages that wait into the index, the oldest first, once there are so many. Called inside a transaction. */
export function indexBatch(database: Database, count: number): void {
  const last = database.prepare<{ id: number }>('SELECT id FROM unindexed ORDER BY id LIMIT 1 OFFSET ?').get(count - 1)
  if (last) indexUpTo(database, last.id)
}

/** A part in each transaction, so that no other process waits for all of it. */
function indexAll(database: Database): void {
  const end = database.prepare<{ id: number | null }>('SELECT max(id) AS id FROM unindexed').get()?.id ?? 0
  const part = database.prepare<{ id: number | null }>(
    'SELECT max(id) AS id FROM (SELECT id FROM unindexed WHERE id <= ? ORDER BY id LIMIT ?)',
  )
  for (let last: number | null = 0; last !== null && last < end; ) {
    last = database.transaction(() => {
      // Another process may have indexed some of them meanwhile.
      const id = part.get(end, INDEXED_AT_ONCE)?.id ?? null
      if (id !== null) indexUpTo(database, id)
      return id
    })
  }
}

function indexUpTo(database: Database, last: number): void {
  const waiting = 'SELECT id FROM unindexed WHERE id <= ?'
  database
    .prepare(`INSERT INTO message_index (rowid, text) SELECT id, text FROM message_texts WHERE id IN (${waiting})`)
    .run(last)
  database.prepare('DELETE FROM unindexed WHERE id <= ?').run(last)
}

/** Contract: `Sessions.search` of the SDK. */
export function search(database: Database, query: string, options: SessionSearch): SessionHit[] {
  const terms = termsOf(query)
  if (terms.length === 0) return []
  indexAll(database)
  const check = checker(terms, options)
  const limit = options.limit ?? hitLimit
  const read = reader(database, narrow(terms), options)
  const hits: SessionHit[] = []
  let before = Number.MAX_SAFE_INTEGER
  while (hits.length < limit) {
    const page = read(before)
    for (const row of page) hits.push(...check(row))
    before = page.at(-1)?.id ?? 0
    if (page.length < pageRows) break
  }
  return hits.slice(0, limit)
}

/** Whether a candidate is a hit: a list of one or none. */
function checker(terms: readonly string[], options: SessionSearch): (row: Candidate) => SessionHit[] {
  const matchers = terms.map((term) => matcherOf([term]))
  const isTitleMeant = titleTest(options)
  return (row) => {
    if (!isTitleMeant(row.title ?? undefined)) return []
    const message = JSON.parse(row.data) as Message
    if (message.role !== (options.role ?? message.role)) return []
    const text = searchableText(message)
    if (!matchers.every((matcher) => matcher.test(text))) return []
    return [hitOf(row, message.role, snippetOf(text, terms))]
  }
}

/** Reads candidates recorded before the one with the id that is given. */
function reader(database: Database, { match, conditions, values }: Narrowing, options: SessionSearch) {
  const filter = filterSql(options)
  const where = [
    match === undefined ? 'm.id < ?' : 'message_index MATCH ? AND i.rowid < ?',
    ...conditions,
    filter.where,
    `NOT ${takenBack}`,
  ]
  // CROSS JOIN keeps SQLite from turning the order around, which would read all before the first hit.
  const source = match === undefined ? 'messages m' : 'message_index i CROSS JOIN messages m ON m.id = i.rowid'
  const statement = database.prepare<Candidate & Record<string, SqlValue>>(
    `SELECT m.id, m.position, m.at, m.data, s.id AS sessionId, s.title
      FROM ${source} CROSS JOIN sessions s ON s.number = m.session
      WHERE ${where.join(' AND ')} ORDER BY ${match === undefined ? 'm.id' : 'i.rowid'} DESC LIMIT ${pageRows}`,
  )
  const first = match === undefined ? [] : [match]
  return (before: number) => statement.all(...first, before, ...values, ...filter.values)
}

function hitOf(row: Candidate, role: Message['role'], snippet: string): SessionHit {
  const { sessionId, title, at, position } = row
  return { sessionId, ...(title !== null && { title }), at, role, snippet, messageIndex: position - 1 }
}
