/** Wires the tool that changes parts of files. */
import { definePlugin, Tools } from 'svc/sdk'
import { GuardedFiles } from 'svc/sdk/safety'
import { ExecutionEnvironments } from 'svc/sdk/shell'
import { Misses } from './misses.ts'
import { patchTool } from './tools.ts'

export default definePlugin({
  setup(ctx) {
    const isIsolated = () => ctx.find(ExecutionEnvironments)?.isIsolated() ?? false
    ctx.add(Tools, patchTool({ guard: () => ctx.use(GuardedFiles), isIsolated, misses: new Misses() }))
  },
})
