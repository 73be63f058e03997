/** Lets only plugins of one folder be installed. */
import { definePlugin } from 'svc/sdk'
import { BeforePluginInstall } from 'svc/sdk/safety'

export default definePlugin({
  setup(ctx) {
    ctx.on(BeforePluginInstall, ({ name, source }) => {
      ctx.log.info('works', { name, source })
      return source.includes('reviewed') ? undefined : { decision: 'deny', reason: `nobody has reviewed ${name}` }
    })
  },
})
