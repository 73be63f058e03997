/** Looks when something is due, or has changed, and sleeps in between. */
import { Clock, type PluginContext, type Registration } from 'svc/sdk'
import type { RepeatedJob } from 'svc/sdk/storage'
import type { Config } from './config.ts'
import { REMOVED_MS } from './job-table.ts'
import { isOfPlugin } from './plugin-jobs.ts'
import type { RunTable } from './run-table.ts'
import type { Scheduler } from './scheduler.ts'
import { CHANGES, type CronStore } from './store.ts'

/** It wakes at least this often: the clock may have been set, and the machine may have slept. */
const WAKE_MS = 60_000
/** The store is asked at least this often, in case a notice was lost. */
const LOOK_MS = 300_000
/** The same while runs wait for others or are with other processes, which may be gone. */
const WAITING_MS = 15_000
/** The clock of the store may be behind that of this machine. */
const BEHIND_MS = 1000
/** Several changes at once are one look. */
const GAP_MS = 20
const NOTE_MS = 45_000
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
  #isWaiting = false
  #nextDueAt = Number.POSITIVE_INFINITY
  #lookedAt = Number.NEGATIVE_INFINITY
  #notedAt = Number.NEGATIVE_INFINITY
  #prunedAt = Number.NEGATIVE_INFINITY
  #listening: Registration | undefined
  #job: RepeatedJob | undefined

  constructor(deps: TickerDeps) {
    this.#deps = deps
  }

  start(): void {
    const { ctx } = this.#deps
    this.#job = ctx.every(
      () => this.#sleepMs(ctx.use(Clock).now()),
      () => this.#beat(),
      { atStart: true },
    )
    ctx.onStart(() => this.#listen())
  }

  close(): void {
    void this.#listening?.()
  }

  /** Hears of changes by all processes, this one included. */
  async #listen(): Promise<void> {
    const database = await this.#deps.store.open()
    this.#listening = database.listen(CHANGES, () => this.#wake())
  }

  #wake(): void {
    this.#isChanged = true
    this.#job?.wake(GAP_MS)
  }

  #sleepMs(now: number): number {
    const due = this.#nextDueAt <= now ? BEHIND_MS : this.#nextDueAt - now
    return Math.min(due, this.#isWaiting ? WAITING_MS : WAKE_MS)
  }

  async #beat(): Promise<void> {
    const now = this.#deps.ctx.use(Clock).now()
    // A clock that was set back would otherwise wait for hours.
    const isOld = Math.abs(now - this.#lookedAt) >= (this.#isWaiting ? WAITING_MS : LOOK_MS)
    if (this.#isChanged || isOld || now >= this.#nextDueAt) await this.#look(now)
    if (Math.abs(now - this.#notedAt) >= NOTE_MS) await this.#note(now)
    if (Math.abs(now - this.#prunedAt) >= PRUNE_MS) await this.#prune(now)
  }

  async #look(now: number): Promise<void> {
    this.#isChanged = false
    this.#lookedAt = now
    const { begun, isWaiting } = await this.#deps.scheduler.look()
    this.#isWaiting = isWaiting
    // What ends may let others begin.
    for (const run of begun) void run.then(() => this.#wake())
    this.#nextDueAt = await this.#readNextDue()
  }

  async #readNextDue(): Promise<number> {
    const { query } = await this.#deps.store.open()
    const due = query.selectFrom('jobs').where('state', '=', 'scheduled').where('next_due_at', 'is not', null)
    const own = await due
      .select((each) => each.fn.min('next_due_at').as('at'))
      .where('id', 'not like', 'plugin:%')
      .executeTakeFirst()
    const ofPlugins = await due.select(['id', 'next_due_at as at']).where('id', 'like', 'plugin:%').execute()
    const here = ofPlugins.filter(({ id }) => isOfPlugin(id) && this.#deps.scheduler.isHere(id))
    const moments = [own, ...here].map((row) => row?.at ?? Number.POSITIVE_INFINITY)
    return Math.min(...moments)
  }

  /** For who asks whether a gateway looks at all. */
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
