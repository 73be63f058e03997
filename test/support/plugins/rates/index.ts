/** A service for other plugins. */
import { definePlugin, defineService, type Service } from 'svc/sdk'

export interface Rates {
  rate(currency: string): number
}
export const Rates: Service<Rates> = defineService('rates')

export default definePlugin({
  setup(ctx) {
    ctx.provide(Rates, () => ({ rate: (currency) => (currency === 'USD' ? 1.25 : 1) }))
  },
})
