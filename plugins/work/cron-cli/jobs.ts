/** The service of jobs, loaded when something asks for it. */
import { type PluginContext, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { CronJobs } from 'svc/sdk/jobs'

/** Throws `CRON_NOT_THERE`. */
export async function bringJobs(ctx: Pick<PluginContext<undefined>, 'use'>): Promise<CronJobs> {
  const jobs = await ctx.use(Plugins).bring(CronJobs)
  if (jobs) return jobs
  throw new SvcError('CRON_NOT_THERE', 'The plugin cron does not run. svc plugins says why.', { status: 503 })
}
