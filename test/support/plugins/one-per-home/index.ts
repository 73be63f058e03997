/** A job of one process for each home. */
import { definePlugin } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.every(60_000, () => ctx.log.info('works'), { atStart: true, one: 'home', name: 'sweep' })
  },
})
