/** Hides keys in what tools answer. */
import { AfterToolCall, definePlugin } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.on(AfterToolCall, (result) => {
      ctx.log.info('works')
      return { ...result, text: result.text.replace(/\bsk-\w+/g, '[key]') }
    })
  },
})
