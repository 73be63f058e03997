/** Wraps a service of another plugin. */
import { definePlugin, defineService } from 'svc/sdk'

const Rates = defineService<{ rate(currency: string): number }>('rates')

export default definePlugin({
  setup(ctx) {
    ctx.wrap(Rates, (inner) => ({
      rate(currency) {
        ctx.log.info('works', { currency })
        return inner.rate(currency) * 1.02
      },
    }))
  },
})
