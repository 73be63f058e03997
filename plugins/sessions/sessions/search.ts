/** Full-text search: the index yields candidates, newest first, and each is verified. */
import type { Message } from 'svc/sdk'
import type { SessionSearchOptions, SessionSearchResult } from 'svc/sdk/sessions'
import type { Database, SqlValue } from 'svc/sdk/storage'
import { takenBack } from './edits.ts'
import { filterSql, titleTest } from './filter.ts'
import { isWaiting } from './indexing.ts'
import { createMatcher, type Narrowing, narrow, parseTerms, searchableText } from './query.ts'
import { createSnippet } from './snippet.ts'

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
/**
 * Contract: `Sessions.search` of the SDK. Messages that are not indexed yet are searched directly, so that a search is complete and
 * need not index thousands of messages first.
 */
export function search(database: Database, query: string, options: SessionSearchOptions): SessionSearchResult[] {
  const terms = parseTerms(query)
  if (terms.length === 0) return []
  const limit = options.limit ?? hitLimit
  const narrowing = narrow(terms)
  const check = checker(terms, options)
  const find = (source: Source) => take(reader(database, narrowing, { options, source }), check, limit)
  if (narrowing.match === undefined) return find('messages').map(({ hit }) => hit)
  const waiting = isWaiting(database) ? find('waiting') : []
  const found = [...waiting, ...find('index')].sort((one, two) => two.id - one.id)
  return found.slice(0, limit).map(({ hit }) => hit)
}

interface FoundMessage {
  readonly id: number
  readonly hit: SessionSearchResult
}

/** The first hits of a source, the newest first. */
function take(
  read: (before: number) => Candidate[],
  check: (row: Candidate) => FoundMessage[],
  limit: number,
): FoundMessage[] {
  const hits: FoundMessage[] = []
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
function checker(terms: readonly string[], options: SessionSearchOptions): (row: Candidate) => FoundMessage[] {
  const matchers = terms.map((term) => createMatcher([term]))
  const isTitleMeant = titleTest(options)
  return (row) => {
    if (!isTitleMeant(row.title ?? undefined)) return []
    const message = JSON.parse(row.data) as Message
    if (message.role !== (options.role ?? message.role)) return []
    const text = searchableText(message)
    if (!matchers.every((matcher) => matcher.test(text))) return []
    return [{ id: row.id, hit: createHit(row, message.role, createSnippet(text, terms)) }]
  }
}

/** Where candidates are: what the index proposes, what waits for it, or everything. */
type Source = 'index' | 'waiting' | 'messages'

/** CROSS JOIN keeps SQLite from turning the order around, which would read all before the first hit. */
const sources = {
  index: { from: 'message_index i CROSS JOIN messages m ON m.id = i.rowid', id: 'i.rowid' },
  waiting: { from: 'unindexed u CROSS JOIN messages m ON m.id = u.id', id: 'u.id' },
  messages: { from: 'messages m', id: 'm.id' },
} as const

/** Reads candidates recorded before the one with the id that is given. */
function reader(
  database: Database,
  { match, conditions, values }: Narrowing,
  { options, source }: { readonly options: SessionSearchOptions; readonly source: Source },
): (before: number) => Candidate[] {
  const filter = filterSql(options)
  const { from, id } = sources[source]
  const isMatched = source === 'index' && match !== undefined
  const where = [
    `${isMatched ? 'message_index MATCH ? AND ' : ''}${id} < ?`,
    ...conditions,
    filter.where,
    `NOT ${takenBack}`,
  ]
  const statement = database.prepare<Candidate & Record<string, SqlValue>>(
    `SELECT m.id, m.position, m.at, m.data, s.id AS sessionId, s.title
      FROM ${from} CROSS JOIN live_sessions s ON s.number = m.session
      WHERE ${where.join(' AND ')} ORDER BY ${id} DESC LIMIT ${pageRows}`,
  )
  const first = isMatched ? [match] : []
  return (before: number) => statement.all(...first, before, ...values, ...filter.values)
}

function createHit(row: Candidate, role: Message['role'], snippet: string): SessionSearchResult {
  const { sessionId, title, at, position } = row
  return { sessionId, ...(title !== null && { title }), at, role, snippet, messageIndex: position - 1 }
}
