/** Measures how long tools take. */
import { AroundToolCall, Clock, definePlugin } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.on(AroundToolCall, async (call, next) => {
      const began = ctx.use(Clock).monotonic()
      const result = await next(call)
      ctx.log.info('works', { tool: call.name, ms: ctx.use(Clock).monotonic() - began })
      return result
    })
  },
})
