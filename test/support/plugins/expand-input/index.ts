/** Expands an abbreviation in a message. */
import { definePlugin } from 'svc/sdk'
import { BeforeUserInput } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(BeforeUserInput, (input, { source }) => {
      ctx.log.info('works', { source })
      return { ...input, text: input.text.replace(';sum', 'Summarise:') }
    })
  },
})
