/** Notes who asks to be let in. */
import { definePlugin } from 'svc/sdk'
import { PairingRequested } from 'svc/sdk/safety'

export default definePlugin({
  setup(ctx) {
    ctx.on(PairingRequested, ({ platform, userId, userName }) =>
      ctx.log.info('works', { platform, userId, ...(userName !== undefined && { userName }) }),
    )
  },
})
