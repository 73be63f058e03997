import { definePlugin } from 'svc/sdk'
import { ModelCalls } from 'svc/sdk/internal'
import { beginCall } from './begin-call.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(ModelCalls, () => ({ begin: (call) => beginCall(ctx, call) }))
  },
})
