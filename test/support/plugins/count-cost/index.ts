/** Notes the cost of each turn by model. */
import { definePlugin, TurnEnded } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.on(TurnEnded, ({ model, usage, reason }) => {
      ctx.log.info('works', { model: model.model, reason, usd: usage.costUsd })
    })
  },
})
