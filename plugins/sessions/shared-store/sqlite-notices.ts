/** Notices between the processes of a machine: rows of a table, looked for whenever the file was written. */
import type { Clock } from 'svc/sdk'
import type { Database } from 'svc/sdk/storage'
import type { StoreNotice } from 'svc/sdk/store'
import { watchWrites } from './watch-writes.ts'

/** Where the system does not tell that the file was written. Asking takes microseconds. */
const ASK_EVERY_MS = 50
/** Where it does. What such a look finds was not told. */
const CHECK_EVERY_MS = 5000
const MAX_UNTOLD = 2
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
  readonly #deps: NoticesDeps
  readonly #listeners = new Set<Listener>()
  /** While a transaction is open: what it has written is not committed. */
  #isPaused = false
  #isDue = false
  #isScheduled = false
  #cancel = () => {}
  #unwatch: (() => void) | undefined
  #untold = 0
  #last = 0
  #lookedAt = 0
  #prunedAt = 0
  /** There may be rows to remove. */
  #isKept = true

  constructor(deps: NoticesDeps) {
    this.#deps = deps
  }

  listen(listener: Listener): () => void {
    if (this.#listeners.size === 0) this.#start()
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  close(): void {
    this.#listeners.clear()
    this.#stop()
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(hasWritten: boolean): void {
    this.#isPaused = false
    if (hasWritten || this.#isDue) this.#lookSoon()
  }

  #start(): void {
    const { database, clock } = this.#deps
    const [row] = database.prepare<{ last: number | null }>('select max(id) as last from store_notices').all()
    this.#last = row?.last ?? 0
    this.#lookedAt = clock.monotonic()
    this.#unwatch = watchWrites(
      database.file,
      () => this.#lookSoon(),
      () => this.#endWatch(),
    )
    this.#lookLater()
  }

  #stop(): void {
    this.#cancel()
    this.#unwatch?.()
    this.#unwatch = undefined
  }

  /** From now on it asks. */
  #endWatch(): void {
    this.#stop()
    if (this.#listeners.size > 0) this.#lookLater()
  }

  /** One look for all that was written in one round of the event loop. */
  #lookSoon(): void {
    if (this.#listeners.size === 0) return
    this.#isDue = true
    if (this.#isPaused || this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#look()
    })
  }

  #lookLater(): void {
    const ms = this.#unwatch === undefined ? ASK_EVERY_MS : CHECK_EVERY_MS
    let isOver = false
    // In between the system has its turn to tell.
    const lookAgain = () => setImmediate(() => isOver || this.#lookAgain())
    const cancel = this.#deps.clock.after(ms, lookAgain, { background: true })
    this.#cancel = () => {
      isOver = true
      cancel()
    }
  }

  #lookAgain(): void {
    const isTold = this.#isDue || this.#isPaused
    const hasFound = this.#look()
    if (hasFound && !isTold) this.#untold++
    if (this.#unwatch !== undefined && this.#untold >= MAX_UNTOLD) this.#endWatch()
    else this.#lookLater()
  }

  /** Whether there was something. */
  #look(): boolean {
    if (this.#isPaused || this.#listeners.size === 0) return false
    this.#isDue = false
    const now = this.#deps.clock.monotonic()
    const hasSlept = now - this.#lookedAt > this.#deps.keepNoticesMs / 2
    this.#lookedAt = now
    const rows = this.#read()
    // Notices may have been removed meanwhile.
    if (hasSlept || rows === undefined) for (const listener of [...this.#listeners]) listener(undefined)
    for (const { channel, notice } of rows ?? [])
      for (const listener of [...this.#listeners]) listener({ channel, notice })
    const hasFound = (rows?.length ?? 0) > 0
    this.#isKept ||= hasFound
    this.#prune(now)
    return hasFound
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
    if (!this.#isKept || now - this.#prunedAt < PRUNE_EVERY_MS) return
    this.#prunedAt = now
    const { database, clock, keepNoticesMs } = this.#deps
    try {
      const held = database.hold()
      database.prepare('delete from store_notices where sent_at < ?').run(clock.now() - keepNoticesMs)
      held.commit()
      this.#isKept = database.prepare('select 1 from store_notices limit 1').all().length > 0
    } catch {
      // Another process writes: the next time will do.
    }
  }
}
