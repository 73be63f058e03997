/** Shortens a long wait of the tool `pause`. */
import { BeforeToolInput, definePlugin } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.on(BeforeToolInput, ({ name, input }) => {
      if (name !== 'double' || input.word.length < 20) return undefined
      ctx.log.info('works')
      return { name, input: { ...input, word: input.word.slice(0, 20) } }
    })
  },
})
