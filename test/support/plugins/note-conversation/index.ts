/** Notes the begin and the end of conversations. */
import { definePlugin } from 'svc/sdk'
import { ConversationClosed, ConversationOpened } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(ConversationOpened, ({ sessionId, reason }) => ctx.log.info('works', { sessionId, reason }))
    ctx.on(ConversationClosed, ({ sessionId, reason }) => ctx.log.info('closed', { sessionId, reason }))
  },
})
