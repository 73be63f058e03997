/** Wires the tool that changes parts of files. */
import { definePlugin, Tools } from 'svc/sdk'
import { GuardedFiles } from 'svc/sdk/safety'
import { Misses } from './misses.ts'
import { patchTool } from './tools.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(Tools, patchTool({ guard: () => ctx.use(GuardedFiles), misses: new Misses() }))
  },
})
