/** Refuses a message that contains a card number. */
import { definePlugin } from 'svc/sdk'
import { BeforeTurn } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(BeforeTurn, ({ text }) => {
      if (!/\b\d{16}\b/.test(text)) return undefined
      ctx.log.info('works')
      return { decision: 'deny', reason: 'the message contains a card number' }
    })
  },
})
