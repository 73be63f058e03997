/** Looks once a second whether something is due, and asks the store only when it may be. */
import { Clock, type PluginContext, type Registration } from 'svc/sdk'
import type { Config } from './config.ts'
import { REMOVED_MS } from './job-table.ts'
import type { RunTable } from './run-table.ts'
import type { Scheduler } from './scheduler.ts'
import { CHANGES, type CronStore } from './store.ts'

/** The store is asked at least this often: for what other machines did, and for runs whose process is gone. */
const LOOK_MS = 15_000
const NOTE_MS = 60_000
const PRUNE_MS = 6 * 3_600_000
const DAY_MS = 86_400_000

export interface TickerDeps {
  readonly ctx: PluginContext<Config>
  readonly store: CronStore
  readonly runs: RunTable
  readonly scheduler: Scheduler
}

export class Ticker {
  readonly #deps: TickerDeps
  #isChanged = true
  #nextDueAt = Number.POSITIVE_INFINITY
  #lookedAt = Number.NEGATIVE_INFINITY
  #notedAt = Number.NEGATIVE_INFINITY
  #prunedAt = Number.NEGATIVE_INFINITY
  #listening: Registration | undefined

  constructor(deps: TickerDeps) {
    this.#deps = deps
  }

  /** Hears of changes by other processes. */
  async listen(): Promise<void> {
    const database = await this.#deps.store.open()
    this.#listening = database.listen(CHANGES, () => {
      this.#isChanged = true
    })
  }

  close(): void {
    void this.#listening?.()
  }

  async beat(): Promise<void> {
    const now = this.#deps.ctx.use(Clock).now()
    // A clock that was set back would otherwise wait for hours.
    const isOld = Math.abs(now - this.#lookedAt) >= LOOK_MS
    if (!this.#isChanged && !isOld && now < this.#nextDueAt) return
    this.#isChanged = false
    this.#lookedAt = now
    await this.#look(now)
  }

  async #look(now: number): Promise<void> {
    const { scheduler, store } = this.#deps
    const { begun } = await scheduler.look()
    // What ends may let others begin.
    for (const run of begun) void run.then(() => (this.#isChanged = true))
    const { query } = await store.open()
    const next = await query
      .selectFrom('jobs')
      .select((each) => each.fn.min('next_due_at').as('at'))
      .where('state', '=', 'scheduled')
      .executeTakeFirst()
    this.#nextDueAt = next?.at ?? Number.POSITIVE_INFINITY
    if (Math.abs(now - this.#notedAt) >= NOTE_MS) await this.#note(now)
    if (Math.abs(now - this.#prunedAt) >= PRUNE_MS) await this.#prune(now)
  }

  async #note(now: number): Promise<void> {
    this.#notedAt = now
    const database = await this.#deps.store.open()
    const at = await database.now()
    await database.query
      .insertInto('ticks')
      .values({ id: 1, at })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ at }))
      .execute()
  }

  async #prune(now: number): Promise<void> {
    this.#prunedAt = now
    const { runs, store, ctx } = this.#deps
    const at = await (await store.open()).now()
    await runs.prune({ runs: at - ctx.config.history_days * DAY_MS, removed: at - REMOVED_MS })
  }
}
