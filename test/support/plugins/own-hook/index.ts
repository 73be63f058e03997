/** Calls a hook of its own. */
import { definePlugin, notifyHook, TurnEnded } from 'svc/sdk'

export const Counted = notifyHook<{ readonly turnId: string }>('own-hook:counted')

export default definePlugin({
  setup(ctx) {
    ctx.on(TurnEnded, ({ turnId }) => ctx.call(Counted, { turnId }))
    ctx.on(Counted, () => ctx.log.info('works'))
  },
})
