/** Completes words that begin with a hash. */
import { definePlugin } from 'svc/sdk'
import { Completers } from 'svc/sdk/terminal'

export default definePlugin({
  setup(ctx) {
    ctx.add(Completers, {
      name: 'word-completer',
      complete: async (text) => {
        const from = text.lastIndexOf('#')
        return from < 0 ? [] : [{ text: '#urgent', from }]
      },
    })
  },
})
