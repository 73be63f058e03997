/** The shell command `svc model`. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { modelCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, modelCommand(ctx))
  },
})
