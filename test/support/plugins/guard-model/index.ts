/** Asks before an expensive model answers. */
import { definePlugin } from 'svc/sdk'
import { BeforeModelChange } from 'svc/sdk/sessions'

export default definePlugin({
  setup(ctx) {
    ctx.on(BeforeModelChange, ({ to, reason }) => {
      ctx.log.info('works', { reason })
      if (!to.model?.includes('large')) return undefined
      return { decision: 'ask', question: { reason: `${to.model} costs ten times as much` } }
    })
  },
})
