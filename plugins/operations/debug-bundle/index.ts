import { CliCommands, definePlugin } from 'svc/sdk'
import { createDebugCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, createDebugCommand(ctx))
  },
})
