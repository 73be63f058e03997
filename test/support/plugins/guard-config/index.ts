/** Refuses changes of one setting. */
import { definePlugin } from 'svc/sdk'
import { BeforeConfigChange } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(BeforeConfigChange, ({ paths }) => {
      if (!paths.some((path) => path.startsWith('display.language'))) return undefined
      ctx.log.info('works', { paths })
      return { decision: 'deny', reason: 'the language is fixed' }
    })
  },
})
