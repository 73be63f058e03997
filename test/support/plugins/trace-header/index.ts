/** Sends the id of the turn along with each request to a model. */
import { definePlugin } from 'svc/sdk'
import { BeforeModelCall } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(BeforeModelCall, (request, { turnId }) => {
      ctx.log.info('works')
      return turnId === undefined ? undefined : { ...request, headers: { ...request.headers, 'x-trace': turnId } }
    })
  },
})
