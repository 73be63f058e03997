/** Notes the begin of each turn. */
import { definePlugin } from 'svc/sdk'
import { TurnStarted } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(TurnStarted, ({ purpose, model }) => ctx.log.info('works', { purpose, model: model.model }))
  },
})
