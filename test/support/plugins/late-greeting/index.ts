/** A job that runs once. */
import { definePlugin } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.timeout(1, () => ctx.log.info('works'))
  },
})
