/** Asks for a summary when an answer ends with a question. */
import { definePlugin } from 'svc/sdk'
import { BeforeTurnEnd } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(BeforeTurnEnd, (ending) => {
      if (ending.continuations > 0 || !ending.answer.endsWith('?')) return undefined
      ctx.log.info('works')
      return { ...ending, continueWith: 'Decide it yourself.' }
    })
  },
})
