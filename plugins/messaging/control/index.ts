import { definePlugin } from 'svc/sdk'
import { Control } from 'svc/sdk/host'
import { Reachability } from './reachability.ts'

export default definePlugin({
  setup(ctx) {
    const reachability = new Reachability(ctx)
    ctx.provide(Control, () => reachability)
    ctx.onStart(() => reachability.resume())
    ctx.defer(() => reachability.close())
  },
})
