/** The shell commands `svc auth` and `svc login`. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { authCommand, loginCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, authCommand(ctx))
    ctx.add(CliCommands, loginCommand())
  },
})
