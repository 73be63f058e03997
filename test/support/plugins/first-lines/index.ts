/** Summarises a conversation without a model. */
import { definePlugin } from 'svc/sdk'
import { Summarizers } from 'svc/sdk/sessions'

export default definePlugin({
  setup(ctx) {
    ctx.add(Summarizers, {
      name: 'first-lines',
      summarise: async ({ messages, head, tail }) => {
        const between = messages.slice(head, messages.length - tail)
        const lines = between.map(({ role, text }) => `${role}: ${text.split('\n')[0]}`)
        return { text: lines.join('\n'), by: 'first-lines' }
      },
    })
  },
})
