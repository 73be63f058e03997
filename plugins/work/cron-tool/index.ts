/** Wires the tool by which the model adds and changes scheduled jobs. A scheduled run has it only if its job may. */
import { definePlugin, SelectTools, Tools } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { CronJobs } from 'svc/sdk/jobs'
import { cronTool, NAME } from './tools.ts'

export default definePlugin({
  setup(ctx) {
    const bring = () => ctx.use(Plugins).bring(CronJobs)
    ctx.add(Tools, cronTool(bring))
    ctx.on(SelectTools, async (offer, { surface, sessionId }) => {
      if (surface !== 'cron') return offer
      const job = await (await bring())?.ofTurn({ sessionId, groups: [] })
      if (job?.mayManageJobs) return offer
      const isOther = (name: string) => name !== NAME
      return { offered: offer.offered.filter(isOther), deferred: offer.deferred.filter(isOther) }
    })
  },
})
