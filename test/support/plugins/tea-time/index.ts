/** A section of `svc status`. */
import { definePlugin } from 'svc/sdk'
import { StatusSections } from 'svc/sdk/operations'

export default definePlugin({
  setup(ctx) {
    ctx.add(StatusSections, {
      name: 'tea-time',
      title: 'Tea',
      read: async () => [{ label: 'Ready', text: 'in 3 min', state: 'ok' }],
    })
    ctx.onStart(() => ctx.log.info('works'))
  },
})
