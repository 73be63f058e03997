/** The service of scheduled jobs. */
import type { PluginContext } from 'svc/sdk'
import type { CronJobs, CronStatus, JobRun, JobState } from 'svc/sdk/jobs'
import type { Config } from './config.ts'
import { parseGroup } from './job-budget.ts'
import type { JobTable } from './job-table.ts'
import type { RunTable } from './run-table.ts'
import type { Calendar } from './schedule.ts'
import { checkZone, formatSchedule, parseSchedule } from './schedule-text.ts'
import type { Scheduler } from './scheduler.ts'
import type { CronStore } from './store.ts'

const MAX_RUNS = 1000

export interface ServiceDeps {
  readonly ctx: PluginContext<Config>
  readonly store: CronStore
  readonly jobs: JobTable
  readonly runs: RunTable
  readonly scheduler: Scheduler
  calendar(): Promise<Calendar>
  timeZone(): string
}

export function createCronJobs({ ctx, store, jobs, runs, scheduler, calendar, timeZone }: ServiceDeps): CronJobs {
  const now = async () => (await store.open()).now()
  return {
    parse: async (text, options = {}) => {
      const zone = checkZone(options.timeZone ?? timeZone())
      return parseSchedule(text, { now: await now(), timeZone: zone }, await calendar())
    },
    suggest: async (words, options = {}) => {
      const { suggestSchedule } = await import('./suggest.ts')
      const zone = checkZone(options.timeZone ?? timeZone())
      const at = await now()
      const times = await calendar()
      return suggestSchedule(
        ctx,
        { words, now: at, timeZone: zone, read: (text) => parseSchedule(text, { now: at, timeZone: zone }, times) },
        options.signal,
      )
    },
    preview: async (schedule, { count = 5, after } = {}) =>
      (await calendar()).between(schedule, (after ?? (await now())) + 1, Number.MAX_SAFE_INTEGER, Math.min(count, 100)),
    describe: formatSchedule,
    create: (job) => jobs.create(job),
    list: (options = {}) => jobs.list(options),
    get: (job) => jobs.get(job),
    edit: (job, changes) => jobs.edit(job, changes),
    pause: (job, reason) => jobs.pause(job, reason),
    resume: (job) => jobs.resume(job),
    remove: (job) => jobs.remove(job),
    restore: (job) => jobs.restore(job),
    trigger: async (job, { at } = {}) => {
      const { id, dueAt } = await jobs.trigger(job, at)
      return (await runs.get({ jobId: id, dueAt, trigger: 'manual' })) as JobRun
    },
    runs: async ({ job, outcomes, limit = 50 } = {}) =>
      runs.list({
        jobId: job === undefined ? undefined : (await jobs.get(job)).id,
        outcomes,
        limit: Math.min(Math.max(1, limit), MAX_RUNS),
      }),
    ofTurn: async ({ sessionId, groups }) => {
      const id = (await runs.findJob(sessionId)) ?? groups.map(parseGroup).find((each) => each !== undefined)
      return id === undefined ? undefined : jobs.find(id)
    },
    status: () => readStatus(store),
    tick: (options = {}) => scheduler.tick(options.signal),
  }
}

async function readStatus(store: CronStore): Promise<CronStatus> {
  const database = await store.open()
  const { query } = database
  const states = await query
    .selectFrom('jobs')
    .select((each) => ['state', each.fn.countAll().as('count')])
    .groupBy('state')
    .execute()
  const open = await query
    .selectFrom('runs')
    .select((each) => ['outcome', each.fn.countAll().as('count')])
    .where('outcome', 'in', ['queued', 'running'])
    .groupBy('outcome')
    .execute()
  const next = await query
    .selectFrom('jobs')
    .select((each) => each.fn.min('next_due_at').as('at'))
    .where('state', '=', 'scheduled')
    .executeTakeFirst()
  const tick = await query.selectFrom('ticks').select('at').where('id', '=', 1).executeTakeFirst()
  const count = (rows: readonly { readonly count: unknown }[], is: (row: never) => boolean) =>
    Number(rows.find((row) => is(row as never))?.count ?? 0)
  const ofState = (state: JobState) => count(states, (row: { state: string }) => row.state === state)
  const ofOutcome = (outcome: string) => count(open, (row: { outcome: string }) => row.outcome === outcome)
  return {
    jobs: {
      scheduled: ofState('scheduled'),
      paused: ofState('paused'),
      completed: ofState('completed'),
      removed: ofState('removed'),
    },
    queued: ofOutcome('queued'),
    running: ofOutcome('running'),
    ...(next?.at != null && { nextDueAt: next.at }),
    ...(tick && { lastTickAt: tick.at }),
    now: await database.now(),
  }
}
