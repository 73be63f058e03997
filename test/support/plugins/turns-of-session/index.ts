/** Counts the turns of each session. */
import { definePlugin, TurnEnded } from 'svc/sdk'
import { z } from 'zod'

export default definePlugin({
  setup(ctx) {
    const turns = ctx.sessionState('turns', { schema: z.number(), initial: 0 })
    ctx.on(TurnEnded, ({ sessionId }) => {
      turns.set(sessionId, turns.get(sessionId) + 1)
      ctx.log.info('works', { turns: turns.get(sessionId) })
    })
  },
})
