/** A method of `svc rpc`. */
import { definePlugin } from 'svc/sdk'
import { RpcMethods } from 'svc/sdk/web'

export default definePlugin({
  setup(ctx) {
    ctx.add(RpcMethods, {
      name: 'coffee.state',
      summary: 'Say whether there is coffee.',
      run: () => {
        ctx.log.info('works')
        return { coffee: true }
      },
    })
  },
})
