/** Notes that another model answers. */
import { definePlugin } from 'svc/sdk'
import { ModelChanged } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(ModelChanged, ({ from, to, reason }) => ctx.log.info('works', { from: from.model, to: to.model, reason }))
  },
})
