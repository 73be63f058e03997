/** Wires the tool that looks into earlier conversations. */
import { definePlugin, Sessions, Tools } from 'svc/sdk'
import { sessionSearchTool } from './tools.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(
      Tools,
      sessionSearchTool(() => ctx.use(Sessions)),
    )
  },
})
