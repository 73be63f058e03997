/** The index of the search: takes in messages that wait, and merges its parts, a bounded amount in each transaction. */
import type { Clock } from 'svc/sdk'
import type { Database } from 'svc/sdk/storage'
import { BatchSize } from 'svc/sdk/storage'

/** Messages that one transaction indexes: about 0.2 ms each on a quick machine. */
const INDEXED = { first: 50, min: 5, max: 500, targetMs: 15 } as const
/** Pages of the index that one transaction writes while it merges. */
const MERGED = { first: 4, min: 1, max: 64, targetMs: 15 } as const
/** A message takes about an eighth of a page, and is written once more on each of three levels; the rest is in reserve. */
const PAGES_A_MESSAGE = 0.75
/** Messages that an import brings and indexes in its own commit. What is more waits. */
const WITH_IMPORT = 500

export type MergeKind = 'all' | 'due'

/** Puts this many messages that wait into the index, the oldest first, once there are so many. Called inside a transaction. */
export function indexBatch(database: Database, count: number): void {
  const last = database.prepare<{ id: number }>('SELECT id FROM unindexed ORDER BY id LIMIT 1 OFFSET ?').get(count - 1)
  if (last) indexUpTo(database, last.id, count)
}

/** Indexes what an import or a branch brought, unless it is too much for one commit. Called inside a transaction. */
export function indexImported(database: Database, count: number): void {
  if (count <= WITH_IMPORT) indexBatch(database, count)
}

/** Whether messages wait, which the index does not find. */
export function isWaiting(database: Database): boolean {
  return database.prepare('SELECT 1 AS waits FROM unindexed LIMIT 1').get() !== undefined
}

/** The index of one store, whose batches adapt to the machine. */
export class Indexing {
  readonly #messages: BatchSize
  readonly #pages: BatchSize

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#messages = new BatchSize(clock, INDEXED)
    this.#pages = new BatchSize(clock, MERGED)
  }

  /** Indexes one pending batch in a separate transaction; false if nothing was pending. */
  index(database: Database): boolean {
    if (!isWaiting(database)) return false
    this.#messages.run((count) =>
      database.transaction(() => {
        const part = 'SELECT max(id) AS id, count(*) AS count FROM (SELECT id FROM unindexed ORDER BY id LIMIT ?)'
        // Another process may have indexed some of them meanwhile.
        const found = database.prepare<{ id: number | null; count: number }>(part).get(count)
        if (found && found.id !== null) indexUpTo(database, found.id, found.count)
      }),
    )
    return true
  }

  /** Merges a few pages, of levels that are full or of all there is, in a separate transaction; false if that changes nothing. */
  merge(database: Database, kind: MergeKind): boolean {
    return this.#pages.run((pages) => database.transaction(() => mergePages(database, kind === 'all' ? -pages : pages)))
  }

  pauseMs(least: number): number {
    return Math.max(this.#pages.pauseMs(least), this.#messages.pauseMs(least))
  }
}

function indexUpTo(database: Database, last: number, count: number): void {
  const waiting = 'SELECT id FROM unindexed WHERE id <= ?'
  database
    .prepare(`INSERT INTO message_index (rowid, text) SELECT id, text FROM message_texts WHERE id IN (${waiting})`)
    .run(last)
  database.prepare('DELETE FROM unindexed WHERE id <= ?').run(last)
  mergePages(database, Math.ceil(count * PAGES_A_MESSAGE))
}

/** Source: https://www.sqlite.org/fts5.html#the_merge_command; the command itself may count as one change. */
function mergePages(database: Database, pages: number): boolean {
  const changes = database.prepare<{ count: number }>('SELECT total_changes() AS count')
  const before = Number(changes.get()?.count)
  database.prepare("INSERT INTO message_index (message_index, rank) VALUES ('merge', ?)").run(pages)
  return Number(changes.get()?.count) - before >= 2
}
