/** Takes a tool away from the model. */
import { definePlugin, SelectTools } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.on(SelectTools, ({ offered, deferred }) => {
      ctx.log.info('works')
      return { offered: offered.filter((name) => name !== 'hidden_tool'), deferred }
    })
  },
})
