/** A consumer of the service of another plugin. */
import { definePlugin, defineService } from 'svc/sdk'
import { TurnStarted } from 'svc/sdk/hooks'

const Rates = defineService<{ rate(currency: string): number }>('rates')

export default definePlugin({
  setup(ctx) {
    ctx.on(TurnStarted, () => ctx.log.info('works', { rate: ctx.use(Rates).rate('USD') }))
  },
})
