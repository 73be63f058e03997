/** Puts the parts together. Nothing is read before something asks. */
import type { PluginContext } from 'svc/sdk'
import type { CronJobs } from 'svc/sdk/jobs'
import type { Config } from './config.ts'
import { JobTable } from './job-table.ts'
import { RunTable } from './run-table.ts'
import { Calendar } from './schedule.ts'
import { Scheduler } from './scheduler.ts'
import { createCronJobs } from './service.ts'
import { CronStore } from './store.ts'
import { Ticker } from './ticker.ts'

export interface OpenJobs {
  readonly service: CronJobs
  readonly ticker: Ticker
  readonly runs: RunTable
  close(): Promise<void>
}

export function openJobs(ctx: PluginContext<Config>): OpenJobs {
  const store = new CronStore(ctx)
  let loaded: Promise<Calendar> | undefined
  const calendar = () => {
    loaded ??= Calendar.load()
    return loaded
  }
  const timeZone = () => ctx.config.timezone || Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
  const jobs = new JobTable({ store, ctx, calendar })
  const runs = new RunTable(store)
  const scheduler = new Scheduler({ ctx, store, jobs, runs, calendar, timeZone })
  const ticker = new Ticker({ ctx, store, runs, scheduler })
  return {
    service: createCronJobs({ ctx, store, jobs, runs, scheduler, calendar, timeZone }),
    ticker,
    runs,
    async close() {
      ticker.close()
      await scheduler.close()
      await store.close()
    },
  }
}
