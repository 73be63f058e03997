/** Drops advertisements, answers a greeting, and signs what is sent. */
import { definePlugin } from 'svc/sdk'
import { BeforeDelivery, BeforeInboundMessage } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(BeforeInboundMessage, (draft) => {
      ctx.log.info('works', { characters: draft.text.length })
      if (draft.text.includes('Buy now')) return { ...draft, isDropped: true }
      return draft.text === 'good morning' ? { ...draft, reply: 'Good morning!' } : draft
    })
    // A draft is replaced by later versions of the same message: only the last one is signed.
    ctx.on(BeforeDelivery, (draft, { isDraft }) => (isDraft ? draft : { ...draft, text: `${draft.text}\n\n-- svc` }))
  },
})
