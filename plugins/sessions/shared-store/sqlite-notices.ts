/** Notices between the processes of a machine: rows of a table, looked for whenever another connection has written. */
import type { Clock } from 'svc/sdk'
import type { Database } from 'svc/sdk/storage'
import type { StoreNotice } from 'svc/sdk/store'

/** Asking whether the file has changed takes microseconds. */
const LOOK_EVERY_MS = 50
const PRUNE_EVERY_MS = 10_000

export interface NoticesDeps {
  readonly database: Database
  readonly clock: Clock
  readonly keepNoticesMs: number
}

type Listener = (notice: Omit<StoreNotice, 'owner'> | undefined) => void

interface Row {
  readonly id: number
  readonly channel: string
  readonly notice: string
}

export class SqliteNotices {
  /** While a transaction is open: what it has written is not committed. */
  isPaused = false
  readonly #deps: NoticesDeps
  readonly #listeners = new Set<Listener>()
  #cancel = () => {}
  #last = 0
  #lookedAt = 0
  #prunedAt = 0

  constructor(deps: NoticesDeps) {
    this.#deps = deps
  }

  listen(listener: Listener): () => void {
    if (this.#listeners.size === 0) this.#start()
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#cancel()
    }
  }

  close(): void {
    this.#listeners.clear()
    this.#cancel()
  }

  #start(): void {
    const { database, clock } = this.#deps
    const [row] = database.prepare<{ last: number | null }>('select max(id) as last from store_notices').all()
    this.#last = row?.last ?? 0
    this.#lookedAt = clock.monotonic()
    this.#lookLater()
  }

  #lookLater(): void {
    this.#cancel = this.#deps.clock.after(LOOK_EVERY_MS, () => this.#look(), { background: true })
  }

  #look(): void {
    if (this.#listeners.size === 0) return
    this.#lookLater()
    if (this.isPaused) return
    const now = this.#deps.clock.monotonic()
    const hasSlept = now - this.#lookedAt > this.#deps.keepNoticesMs / 2
    this.#lookedAt = now
    const rows = this.#read()
    // Notices may have been removed meanwhile.
    if (hasSlept || rows === undefined) for (const listener of [...this.#listeners]) listener(undefined)
    for (const { channel, notice } of rows ?? [])
      for (const listener of [...this.#listeners]) listener({ channel, notice })
    this.#prune(now)
  }

  #read(): readonly Row[] | undefined {
    try {
      const rows = this.#deps.database
        .prepare<Row & Record<string, never>>('select id, channel, notice from store_notices where id > ? order by id')
        .all(this.#last)
      this.#last = rows.at(-1)?.id ?? this.#last
      return rows
    } catch {
      // It is busy or being replaced: then the listeners look for themselves, and the next look tries again.
      return undefined
    }
  }

  #prune(now: number): void {
    if (now - this.#prunedAt < PRUNE_EVERY_MS || this.#last === 0) return
    this.#prunedAt = now
    const { database, clock, keepNoticesMs } = this.#deps
    try {
      const held = database.hold()
      database.prepare('delete from store_notices where sent_at < ?').run(clock.now() - keepNoticesMs)
      held.commit()
    } catch {
      // Another process writes: the next time will do.
    }
  }
}
