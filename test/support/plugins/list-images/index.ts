/** What it downloads, for `svc security audit`. */
import { definePlugin } from 'svc/sdk'
import { AuditSources } from 'svc/sdk/safety'

export default definePlugin({
  setup(ctx) {
    ctx.add(AuditSources, {
      name: 'list-images',
      kind: 'plugins',
      async list() {
        ctx.log.info('works')
        return {
          components: [{ name: 'coffee-maker', version: '1.0.0', ecosystem: 'npm', source: 'plugin list-images' }],
        }
      },
    })
  },
})
