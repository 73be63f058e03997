/** Sends the results of tasks in the background to a chat, where they are to be found there. */
import { definePlugin } from 'svc/sdk'
import { SelectTaskDelivery } from 'svc/sdk/sessions'

export default definePlugin({
  setup(ctx) {
    ctx.on(SelectTaskDelivery, (delivery, { task, reason }) => {
      ctx.log.info('works', { reason })
      return task.startsWith('Tell the team') ? { ...delivery, target: 'fake:team' } : undefined
    })
  },
})
