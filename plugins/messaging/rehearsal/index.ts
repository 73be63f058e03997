import { definePlugin, Rehearsals } from 'svc/sdk'
import { PlatformRehearsals } from './rehearsals.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(Rehearsals, () => new PlatformRehearsals(ctx))
  },
})
