/** Removes blanks around a message. */
import { BeforeUserMessage, definePlugin } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.on(BeforeUserMessage, (text) => {
      ctx.log.info('works')
      return text.trim()
    })
  },
})
