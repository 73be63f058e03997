/** Refuses a call of the tool `double`. */
import { BeforeToolCall, definePlugin } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.on(BeforeToolCall, ({ name, input }) => {
      if (name !== 'double' || input.word !== 'forbidden') return undefined
      ctx.log.info('works')
      return { decision: 'deny', reason: 'this word is forbidden' }
    })
  },
})
