/** A line of the system prompt. */
import { definePlugin, PromptParts } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.add(PromptParts, {
      name: 'language-line',
      text: () => {
        ctx.log.info('works')
        return 'Answer in plain English.'
      },
    })
  },
})
