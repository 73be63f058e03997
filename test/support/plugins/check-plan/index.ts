/** Lets no step of a plan be completed that was never begun. */
import { definePlugin } from 'svc/sdk'
import { BeforePlanChange } from 'svc/sdk/sessions'

export default definePlugin({
  setup(ctx) {
    ctx.on(BeforePlanChange, ({ before, after }) => {
      ctx.log.info('works')
      const begun = new Set(before.filter(({ status }) => status === 'in_progress').map(({ id }) => id))
      const skipped = after.find(({ id, status }) => status === 'completed' && !begun.has(id))
      return skipped && { decision: 'deny', reason: `"${skipped.content}" was never begun` }
    })
  },
})
