/** Long work on a shared resource, such as a database, in batches that are small enough not to keep others waiting. */
import type { Clock } from './ports.ts'
import type { Database, SqlValue } from './storage.ts'

/** How a `BatchSize` adapts. Sizes count what the caller counts: rows, pages, messages. @since 0.2 */
export interface BatchLimits {
  readonly first: number
  readonly min: number
  readonly max: number
  /** Milliseconds that one batch should take. */
  readonly targetMs: number
}

/**
 * The size of the next batch, adapted to the measured time of the last: one that took longer than `targetMs` makes the next
 * smaller in proportion, a quick one lets the next grow to at most twice its size. `clock.monotonic()` measures.
 * @since 0.1
 */
export class BatchSize {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #limits: BatchLimits
  #size: number
  #tookMs = 0

  constructor(clock: Pick<Clock, 'monotonic'>, limits: BatchLimits) {
    this.#clock = clock
    this.#limits = limits
    this.#size = limits.first
  }

  /** From `min` to `max`, a whole number. */
  get size(): number {
    return this.#size
  }

  /**
   * Milliseconds to wait before the next batch: at least `least`, and as long as the last batch took. A process that waits for
   * a lock of SQLite polls for it, and acquires it only if it stays free for about as long as it was held.
   */
  pauseMs(least: number): number {
    return Math.max(least, Math.ceil(this.#tookMs))
  }

  /** Runs a synchronous batch of the current size and adapts the size to its time. An error passes through unchanged. */
  run<T>(batch: (size: number) => T): T {
    const started = this.#clock.monotonic()
    try {
      return batch(this.#size)
    } finally {
      this.#tookMs = Math.max(0, this.#clock.monotonic() - started)
      const { min, max, targetMs } = this.#limits
      const factor = Math.min(2, targetMs / Math.max(this.#tookMs, 1))
      this.#size = Math.round(Math.min(max, Math.max(min, this.#size * factor)))
    }
  }
}

/** Rows that one transaction removes: about 15 ms on any machine. */
const PRUNED: BatchLimits = { first: 200, min: 20, max: 500, targetMs: 15 }

/** Which rows are removed. `table` and the two others are SQL, so nothing in them may come from outside. @since 0.2 */
export interface Prunable {
  readonly table: string
  /** A condition on the rows, with a `?` for each of the values that `step` is given. */
  readonly where: string
  /** A column of the removed rows that `step` returns. */
  readonly returning?: string
}

/**
 * Forgets rows of a table that has a rowid, a part at a time, each part in a short transaction, so that a year of
 * them keeps neither other processes nor the event loop waiting. Meant for `DatabaseOptions.upkeep`, and for one step at a start.
 * @since 0.1
 */
export class RowPruner {
  readonly #size: BatchSize
  readonly #sql: string
  readonly #firstSql: string

  constructor(clock: Pick<Clock, 'monotonic'>, { table, where, returning = 'rowid' }: Prunable) {
    this.#size = new BatchSize(clock, PRUNED)
    this.#firstSql = `SELECT 1 FROM ${table} WHERE ${where} LIMIT 1`
    this.#sql = `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${where} LIMIT ?) RETURNING ${returning} AS gone`
  }

  /** Removes the next part; returns a value of each row, and whether there may be more. */
  step<Gone = SqlValue>(
    database: Database,
    ...values: readonly SqlValue[]
  ): { readonly gone: Gone[]; readonly hasMore: boolean } {
    // Nearly always there is nothing, which takes no lock to find out.
    if (!database.prepare(this.#firstSql).get(...values)) return { gone: [], hasMore: false }
    return this.#size.run((size) =>
      database.transaction(() => {
        const rows = database.prepare<{ gone: Gone }>(this.#sql).all(...values, size)
        return { gone: rows.map(({ gone }) => gone), hasMore: rows.length === size }
      }),
    )
  }
}
