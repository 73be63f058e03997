/** Redacts a codename in all that goes to a model. */
import { definePlugin } from 'svc/sdk'
import { BeforeModelCall } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    const redact = (text: string) => text.replaceAll('Bluebird', '[project]')
    ctx.on(
      BeforeModelCall,
      (request) => {
        ctx.log.info('works')
        return { ...request, messages: JSON.parse(redact(JSON.stringify(request.messages))) }
      },
      { failure: 'stop' },
    )
  },
})
