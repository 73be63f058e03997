/** Notes what people are asked to approve. */
import { definePlugin } from 'svc/sdk'
import { ApprovalRequested } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(ApprovalRequested, (event) => ctx.log.info('asked', { keys: Object.keys(event) }))
  },
})
