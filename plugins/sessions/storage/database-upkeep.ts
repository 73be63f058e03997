/**
 * Work on an open database that can wait: what its owner asks for, and giving free pages back to the disk. It is done in
 * steps of a few milliseconds, each a separate commit, with pauses in which others write.
 */
import { type Clock, errorCode, errorMessage, type Logger } from 'svc/sdk'
import type { DatabaseOptions } from 'svc/sdk/storage'
import { BatchSize } from 'svc/sdk/storage'
import type { OpenDatabase } from './database.ts'
import { busyTimeoutMs, type Connection } from './driver.ts'

const FIRST_MS = 60_000
const EVERY_MS = 3_600_000
const PAUSE_MS = 50
/** After another process was met at work. */
const BUSY_PAUSE_MS = 1000
/** A step gives up soon: waiting for the lock blocks the whole process. */
const BUSY_TIMEOUT_MS = 10
/** Free pages that one step gives back: about 15 ms. */
const FREED = { first: 100, min: 10, max: 200, targetMs: 15 } as const
/** Fewer free pages are left for what comes: 1 MiB, or this share of the file. */
const FEW_PAGES = 256
const FREE_SHARE = 0.25
/** Steps after which the log is written into the database, so that no later commit has to write much of it at once. */
const STEPS_A_CHECKPOINT = 8

/** What upkeep works with. */
export interface UpkeepDeps {
  readonly database: OpenDatabase
  readonly connection: Connection
  readonly step: DatabaseOptions['upkeep']
  /** Then it waits. */
  readonly isCopying: () => boolean
  readonly clock: Clock
  readonly log: Logger
}

/** Begins with the database, ends before it is closed. */
export class Upkeep {
  readonly #deps: UpkeepDeps
  readonly #freed: BatchSize
  #steps = 0
  #isShrinking = false
  #cancel = () => {}

  constructor(deps: UpkeepDeps) {
    this.#deps = deps
    this.#freed = new BatchSize(deps.clock, FREED)
    this.#wait(FIRST_MS)
  }

  end(): void {
    this.#cancel()
  }

  #wait(ms: number): void {
    this.#cancel = this.#deps.clock.after(ms, () => this.#wait(this.#next()), { background: true })
  }

  /** Takes a step; how long to wait for the next. */
  #next(): number {
    const { connection, isCopying, log } = this.#deps
    if (isCopying() || this.#deps.database.isHeld) return BUSY_PAUSE_MS
    try {
      connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
      const hasMore = this.#deps.step?.(this.#deps.database) || this.#shrink()
      if (hasMore ? ++this.#steps % STEPS_A_CHECKPOINT === 0 : this.#steps > 0)
        connection.pragma('wal_checkpoint(PASSIVE)')
      if (!hasMore) this.#end()
      return hasMore ? PAUSE_MS : EVERY_MS
    } catch (error) {
      if (errorCode(error) === 'STORAGE_BUSY') return BUSY_PAUSE_MS
      log.warn(`The upkeep of ${connection.name} failed: ${errorMessage(error)}`, { error })
      return EVERY_MS
    } finally {
      if (connection.open) connection.pragma(`busy_timeout = ${busyTimeoutMs}`)
    }
  }

  #end(): void {
    this.#steps = 0
    this.#deps.database.endPeriod()
  }

  /** Whether there is more to give back. Files of earlier versions cannot: `svc sessions compact` makes them able to. */
  #shrink(): boolean {
    const { connection, database } = this.#deps
    const count = (name: string) => Number(connection.pragma(name, { simple: true }))
    const free = count('freelist_count')
    this.#isShrinking = free > 0 && (this.#isShrinking || free >= Math.max(FEW_PAGES, FREE_SHARE * count('page_count')))
    if (!this.#isShrinking || count('auto_vacuum') !== 2) return false
    this.#freed.run((pages) => database.exec(`PRAGMA incremental_vacuum(${pages})`))
    return count('freelist_count') > 0
  }
}
