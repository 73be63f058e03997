/** A check of `svc doctor`. */
import { definePlugin } from 'svc/sdk'
import { HealthChecks } from 'svc/sdk/host'

export default definePlugin({
  setup(ctx) {
    ctx.add(HealthChecks, {
      name: 'disk-check',
      title: 'Coffee',
      check: async () => {
        ctx.log.info('works')
        return []
      },
    })
  },
})
