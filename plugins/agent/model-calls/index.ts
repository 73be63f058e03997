import { definePlugin, ModelCalls } from 'svc/sdk'
import { beginCall } from './begin-call.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(ModelCalls, () => ({ begin: (call) => beginCall(ctx, call) }))
  },
})
