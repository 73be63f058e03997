import { definePlugin } from 'svc/sdk'
import { PlatformDryRuns } from 'svc/sdk/platform'
import { PlatformRehearsals } from './rehearsals.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(PlatformDryRuns, () => new PlatformRehearsals(ctx))
  },
})
