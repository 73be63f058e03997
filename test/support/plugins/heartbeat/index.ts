/** A job that is repeated. */
import { definePlugin } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.every(60_000, () => ctx.log.info('works'), { atStart: true, jitter: 0.1 })
  },
})
