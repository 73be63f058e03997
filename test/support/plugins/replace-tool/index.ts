/** Replaces a tool of another plugin. */
import { definePlugin, Tools } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.replace(Tools, 'double', (inner) => ({
      ...inner,
      async run(input, turn) {
        ctx.log.info('works')
        return inner.run(input, turn)
      },
    }))
  },
})
