/** Wires the tool that changes parts of files. */
import { definePlugin, FileGuard, Tools } from 'svc/sdk'
import { Misses } from './misses.ts'
import { patchTool } from './tools.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(Tools, patchTool({ guard: () => ctx.use(FileGuard), misses: new Misses() }))
  },
})
