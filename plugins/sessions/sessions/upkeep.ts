/** What can wait: removals that a crash cut off, messages that are not indexed yet, the index, and the trash. One step a call. */
import type { Clock } from 'svc/sdk'
import type { Database } from 'svc/sdk/storage'
import { BatchSize } from 'svc/sdk/storage'
import type { Indexing } from './indexing.ts'
import { Removals } from './removals.ts'

/** Marks of removed messages are kept from this id on (fts5_index.c, FTS5_TOMBSTONE_ROWID), in about ten bytes each. */
const MARKS_SQL = 'SELECT coalesce(sum(length(block)), 0) AS bytes FROM message_index_data WHERE id >= 9007199254740992'
/** Fewer are not worth the work. */
const LEAST_BYTES = 16_384
const DELETED = { first: 200, min: 20, max: 500, targetMs: 15 } as const

/** What upkeep works with. */
export interface UpkeepDeps {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly indexing: Indexing
  /** Called when the database needs nothing. */
  readonly tidy: () => void
}

export class Upkeep {
  readonly #deps: UpkeepDeps
  readonly #rows: BatchSize

  constructor(deps: UpkeepDeps) {
    this.#deps = deps
    this.#rows = new BatchSize(deps.clock, DELETED)
  }

  /** Contract: `upkeep` of `DatabaseOptions`. */
  step(database: Database): boolean {
    const { indexing, tidy } = this.#deps
    if (this.#remove(database) || indexing.index(database) || this.#merge(database)) return true
    tidy()
    return false
  }

  #remove(database: Database): boolean {
    const removals = new Removals(database)
    if (removals.isEmpty()) return false
    this.#rows.run((rows) => database.transaction(() => removals.removePart(rows)))
    return true
  }

  /** All of the index when a tenth or more of what was indexed is marked as removed. */
  #merge(database: Database): boolean {
    const { indexing } = this.#deps
    const marks = Number(database.prepare<{ bytes: number }>(MARKS_SQL).get()?.bytes)
    const last = database.prepare<{ id: number | null }>('SELECT max(id) AS id FROM messages').get()?.id ?? 0
    if (marks >= LEAST_BYTES && marks >= last) return indexing.merge(database, 'all')
    return indexing.merge(database, 'due')
  }
}
