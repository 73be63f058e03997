/** Notes when the variables of a project change while a conversation works in it. */
import { definePlugin } from 'svc/sdk'
import { ConversationClosed, ConversationOpened } from 'svc/sdk/hooks'
import { FileWatcher } from 'svc/sdk/storage'

export default definePlugin({
  setup(ctx) {
    const watches = new Map<string, () => Promise<void>>()
    ctx.on(ConversationOpened, async ({ conversation, sessionId }) => {
      const stop = await ctx.use(FileWatcher).watch({
        folder: conversation.cwd,
        names: ['.env'],
        onChange: ({ changes }) => ctx.log.info('works', { paths: changes.map(({ path }) => path) }),
      })
      watches.set(sessionId, stop)
    })
    ctx.on(ConversationClosed, async ({ sessionId }) => {
      await watches.get(sessionId)?.()
      watches.delete(sessionId)
    })
  },
})
