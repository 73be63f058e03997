/** Refuses to leave a conversation. */
import { definePlugin } from 'svc/sdk'
import { BeforeConversationChange } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(BeforeConversationChange, ({ reason }) => {
      ctx.log.info('works', { reason })
      return reason === 'new' ? { decision: 'deny', reason: 'this conversation is not finished' } : undefined
    })
  },
})
