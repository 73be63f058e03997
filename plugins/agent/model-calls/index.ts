import { definePlugin } from 'svc/sdk'
import { ModelCalls } from 'svc/sdk/sessions'
import { beginCall } from './begin-call.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(ModelCalls, () => ({ begin: (call) => beginCall(ctx, call) }))
  },
})
