/** Notes the work of subagents. */
import { definePlugin } from 'svc/sdk'
import { SubagentEnded, SubagentStarted } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(SubagentStarted, ({ sessionId }) => ctx.log.info('subagent began', { sessionId }))
    ctx.on(SubagentEnded, ({ sessionId, reason }) => ctx.log.info('works', { sessionId, reason }))
  },
})
