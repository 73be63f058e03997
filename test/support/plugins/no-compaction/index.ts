/** Refuses a summary of a conversation. */
import { definePlugin } from 'svc/sdk'
import { BeforeCompaction } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(BeforeCompaction, () => ({ decision: 'deny', reason: 'the whole text is needed' }))
  },
})
