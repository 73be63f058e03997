/** Answers `ping` without asking a model. */
import { definePlugin } from 'svc/sdk'
import { BeforeUserInput } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(BeforeUserInput, (input) => {
      if (input.text !== 'ping') return input
      ctx.log.info('works')
      return { ...input, reply: 'pong' }
    })
  },
})
