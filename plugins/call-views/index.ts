/** Wires the views of all built-in tools. */
import { definePlugin, ToolViews } from 'svc/sdk'
import { views } from './views.ts'

export default definePlugin({
  setup(ctx) {
    for (const view of views) ctx.add(ToolViews, view)
  },
})
