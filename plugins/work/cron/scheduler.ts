/** Looks for what is due and runs it, beside others that do the same. */
import { Agent, Clock, errorCode, logFault, type PluginContext, Random, Sessions } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { type Job, type JobRun, Jobs, type TickResult } from 'svc/sdk/jobs'
import { hasEnded, type LockHolder, newHolder, parseHolder } from 'svc/sdk/kit/process'
import { Gateway, Outbox } from 'svc/sdk/platform'
import { Budgets } from 'svc/sdk/safety'
import { Skills } from 'svc/sdk/skills'
import type { Config } from './config.ts'
import { writeDueInstants } from './instants.ts'
import type { JobTable } from './job-table.ts'
import { findPluginJob, isOfPlugin, toPluginRow } from './plugin-jobs.ts'
import { type ClaimedRun, type HolderState, LEASE_MS, type RunTable, runKey } from './run-table.ts'
import { runClaimed } from './runner.ts'
import type { Calendar } from './schedule.ts'
import { parseSchedule } from './schedule-text.ts'
import type { CronStore } from './store.ts'

const ADOPT_MS = 3_600_000

/** What one look came to. */
export interface Look {
  /** Due instants that were written. */
  readonly instants: number
  readonly begun: readonly Promise<JobRun | undefined>[]
  /** There are runs that wait for others to end, here or elsewhere. */
  readonly isWaiting: boolean
}

export interface SchedulerDeps {
  readonly ctx: PluginContext<Config>
  readonly store: CronStore
  readonly jobs: JobTable
  readonly runs: RunTable
  calendar(): Promise<Calendar>
  timeZone(): string
}

/** What runs need, which a process that only lists jobs does without. */
async function bringServices(ctx: PluginContext<Config>): Promise<void> {
  const plugins = ctx.use(Plugins)
  for (const token of [Sessions, Agent, Budgets, Skills, Outbox]) await plugins.bring<object>(token)
}

export class Scheduler {
  readonly #deps: SchedulerDeps
  readonly #own: Map<string, { readonly claimed: ClaimedRun; readonly done: Promise<JobRun | undefined> }> = new Map()
  readonly #stop: AbortController = new AbortController()
  #looking: Promise<unknown> = Promise.resolve()
  #nonce: string | undefined
  /** Jobs of plugins that have their rows. */
  #adopted: { readonly items: readonly Job[]; readonly at: number } | undefined

  constructor(deps: SchedulerDeps) {
    this.#deps = deps
  }

  get running(): number {
    return this.#own.size
  }

  /** Writes what is due and begins what there is room for. */
  look(signal?: AbortSignal): Promise<Look> {
    const work = async () => {
      const { store, calendar, runs, ctx } = this.#deps
      const database = await store.open()
      await this.#adoptPluginJobs()
      const isHere = (id: string) => this.isHere(id)
      const instants = await writeDueInstants({ database, calendar: await calendar(), isHere })
      const limit = ctx.config.max_parallel_jobs - this.#own.size
      if (limit <= 0 || ctx.find(Gateway)?.isDraining || this.#stop.signal.aborted)
        return { instants, begun: [], isWaiting: true }
      const own = new Set(this.#own.keys())
      const { claimed, isWaiting } = await runs.claim({
        limit,
        holder: JSON.stringify(this.#holder()),
        own,
        isHere,
        judgeHolder: (holder) => this.#judgeHolder(holder),
      })
      return { instants, begun: claimed.map((each) => this.#begin(each, signal)), isWaiting }
    }
    const looked = this.#looking.then(work, work)
    this.#looking = looked.catch(() => undefined)
    return looked
  }

  /** Whether this process can run the job: one of a plugin that is not loaded here is left to others. */
  isHere(id: string): boolean {
    return !isOfPlugin(id) || findPluginJob(this.#deps.ctx.all(Jobs), id) !== undefined
  }

  /** Until nothing is left that this process could run now. */
  async tick(signal?: AbortSignal): Promise<TickResult> {
    const ended: JobRun[] = []
    let count = 0
    for (;;) {
      const { instants, begun } = await this.look(signal)
      count += instants
      if (begun.length === 0) return { instants: count, runs: ended }
      for (const run of await Promise.all(begun)) if (run) ended.push(run)
      if (signal?.aborted) return { instants: count, runs: ended }
    }
  }

  /** Interrupts what runs, and waits for it. */
  async close(): Promise<void> {
    this.#stop.abort(new DOMException('svc was ended', 'AbortError'))
    await this.#looking
    await Promise.all([...this.#own.values()].map(({ done }) => done))
  }

  #begin(claimed: ClaimedRun, signal: AbortSignal | undefined): Promise<JobRun | undefined> {
    const key = runKey(claimed.run)
    const done = this.#run(claimed, signal).finally(() => this.#own.delete(key))
    this.#own.set(key, { claimed, done })
    return done
  }

  /** Undefined when another process took it over. */
  async #run(claimed: ClaimedRun, given: AbortSignal | undefined): Promise<JobRun | undefined> {
    const { ctx, runs } = this.#deps
    const clock = ctx.use(Clock)
    const lost = new AbortController()
    const minutes = ctx.config.run_minutes
    const late = () => lost.abort(new DOMException(`it took longer than ${minutes} minutes`, 'TimeoutError'))
    const cancelLate = clock.after(minutes * 60_000, late, { background: true })
    let cancelRenewal = () => {}
    const renewLater = () => {
      const renew = () => {
        runs.renew(claimed).then(renewLater, (error) => {
          if (errorCode(error) === 'CRON_RUN_LOST') lost.abort(error)
          else renewLater()
        })
      }
      cancelRenewal = clock.after(LEASE_MS / 3, renew, { background: true })
    }
    renewLater()
    const signal = AbortSignal.any([this.#stop.signal, lost.signal, ...(given ? [given] : [])])
    try {
      await bringServices(ctx)
      return await runClaimed({ ctx, runs }, claimed, signal)
    } catch (error) {
      // Who took it over writes what became of it; a store that cannot be reached now leaves it to the next look.
      logFault(ctx.log, 'a scheduled run could not be written to the end', error)
      ctx.log.warn('a scheduled run is left to another process', { job: claimed.job.id, error })
      return undefined
    } finally {
      cancelLate()
      cancelRenewal()
    }
  }

  async #adoptPluginJobs(): Promise<void> {
    const { ctx, jobs, calendar, timeZone, store } = this.#deps
    const items = ctx.all(Jobs).all()
    const at = ctx.use(Clock).monotonic()
    if (items.length === 0 || this.#isAdopted(items, at)) return
    const [times, now] = [await calendar(), await (await store.open()).now()]
    const rows = items.flatMap((item) => {
      const options = { now, timeZone: item.timeZone ?? timeZone() }
      const schedule = ctx.all(Jobs).attempt(item, () => parseSchedule(item.schedule, options, times))
      return schedule ? [toPluginRow(item, schedule)] : []
    })
    await jobs.adopt(rows)
    if (rows.length === items.length) this.#adopted = { items, at }
  }

  /** From time to time they are looked at all the same: the store may have been replaced by an older copy. */
  #isAdopted(items: readonly Job[], at: number): boolean {
    const known = this.#adopted
    if (known === undefined || at - known.at >= ADOPT_MS || known.items.length !== items.length) return false
    return items.every((item, index) => item === known.items[index])
  }

  /** Machine, process, and this generation of the plugin. */
  #holder(): LockHolder {
    this.#nonce ??= this.#deps.ctx.use(Random).hex(8)
    return newHolder(this.#nonce)
  }

  /** A process of this machine that is there may be at work although its lease is over: its clock may have been set. */
  #judgeHolder(text: string): HolderState {
    const [holder, own] = [parseHolder(text), this.#holder()]
    if (holder?.host !== own.host) return 'unknown'
    if (hasEnded(holder)) return 'gone'
    // Another generation of the plugin in this process may have been left behind.
    return holder.pid === own.pid && holder.token !== own.token ? 'unknown' : 'alive'
  }
}
