/** The shell command `svc tools`. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { toolsCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, toolsCommand(ctx))
  },
})
