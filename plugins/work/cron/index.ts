/** Wires scheduled jobs. A gateway runs what is due; everything is opened when it is first asked for. */
import { definePlugin } from 'svc/sdk'
import { DeliveryFinished } from 'svc/sdk/hooks'
import { CronJobs } from 'svc/sdk/jobs'
import { StatusSections } from 'svc/sdk/operations'
import { config } from './config.ts'
import { describeFailure, parseKey } from './deliver.ts'
import { openJobs } from './open.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const cron = openJobs(ctx)
    ctx.provide(CronJobs, () => cron.service)
    ctx.add(StatusSections, {
      ...{ name: 'jobs', title: 'Scheduled jobs', order: 60 },
      read: async () => (await import('./status-section.ts')).readJobsStatus(ctx.use(CronJobs)),
    })
    if (ctx.process.role === 'gateway') cron.ticker.start()
    ctx.on(DeliveryFinished, async (delivery) => {
      const run = parseKey(delivery.key)
      const problem = run && describeFailure(delivery, run.target)
      if (run && problem !== undefined) await cron.runs.noteDelivery(run, problem)
    })
    ctx.defer(() => cron.close())
  },
})
