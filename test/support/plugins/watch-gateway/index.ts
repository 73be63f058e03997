/** Notes deliveries and the state of platforms. */
import { definePlugin } from 'svc/sdk'
import { DeliveryFinished, PlatformChanged, ProcessNotified } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(DeliveryFinished, () => ctx.log.info('delivered'))
    ctx.on(PlatformChanged, () => ctx.log.info('platform'))
    ctx.on(ProcessNotified, () => ctx.log.info('process'))
  },
})
