/** Provides `sign-ins`: sign-ins that a front end drives one request at a time. */
import { definePlugin } from 'svc/sdk'
import { SignIns } from 'svc/sdk/sign-in'
import { Attempts } from './attempts.ts'

export default definePlugin({
  setup(ctx) {
    let attempts: Attempts | undefined
    ctx.provide(SignIns, () => {
      attempts = new Attempts(ctx)
      return attempts
    })
    ctx.defer(() => attempts?.close())
  },
})
