import { definePlugin } from 'svc/sdk'
import { PlatformDryRuns } from 'svc/sdk/internal'
import { PlatformRehearsals } from './rehearsals.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(PlatformDryRuns, () => new PlatformRehearsals(ctx))
  },
})
