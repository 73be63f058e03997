/** Notes tasks in the background. */
import { definePlugin } from 'svc/sdk'
import { BackgroundTaskEnded, BackgroundTaskStarted } from 'svc/sdk/hooks'
import { StopRequested } from 'svc/sdk/sessions'

export default definePlugin({
  setup(ctx) {
    ctx.on(BackgroundTaskStarted, ({ parentSessionId, task }) => ctx.log.info('task began', { parentSessionId, task }))
    ctx.on(StopRequested, (stopped, { conversation }) => {
      ctx.log.info('stop', { sessionId: conversation.sessionId })
      return stopped
    })
    ctx.on(BackgroundTaskEnded, ({ reason, result }) => ctx.log.info('works', { reason, characters: result.length }))
  },
})
