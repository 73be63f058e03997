/** Adds a reminder to each request of a turn. */
import { BeforeModelRequest, definePlugin } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.on(BeforeModelRequest, (messages, { model }) => {
      ctx.log.info('works', { model, messages: messages.length })
      return messages
    })
  },
})
