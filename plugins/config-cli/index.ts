/** The shell command `svc config`. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { configCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, configCommand(ctx))
  },
})
