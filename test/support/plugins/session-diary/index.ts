/** Notes what happens to sessions. */
import { definePlugin } from 'svc/sdk'
import { SessionBranched, SessionCompacted, SessionRewound, SessionsRemoved, SessionsRestored } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(SessionBranched, ({ sessionId }) => ctx.log.info('branched', { sessionId }))
    ctx.on(SessionRewound, ({ sessionId }) => ctx.log.info('rewound', { sessionId }))
    ctx.on(SessionCompacted, ({ sessionId }) => ctx.log.info('compacted', { sessionId }))
    ctx.on(SessionsRemoved, () => ctx.log.info('works'))
    ctx.on(SessionsRestored, () => ctx.log.info('restored'))
  },
})
