/** Gives hard questions to a large model, and side work to a small one. */
import { definePlugin } from 'svc/sdk'
import { SelectModel } from 'svc/sdk/sessions'

export default definePlugin({
  setup(ctx) {
    ctx.on(SelectModel, (selected, { purpose, text }) => {
      ctx.log.info('works', { purpose })
      if (purpose !== 'turn') return { ...selected, model: 'fake-small' }
      return text?.startsWith('Prove') ? { ...selected, model: 'fake-large' } : undefined
    })
  },
})
