/** Wires views as data into the full screen: each becomes a screen or a widget while its plugin runs. */
import { definePlugin } from 'svc/sdk'
import { SharedViews } from 'svc/sdk/dashboard'
import { followViews } from './follow-views.ts'

export default definePlugin({
  setup(ctx) {
    const follow = followViews(ctx)
    follow()
    ctx.defer(ctx.all(SharedViews).onChange(follow))
  },
})
