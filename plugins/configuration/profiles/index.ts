/** Wires the shell command `svc profile`. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { profileCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, profileCommand(ctx))
  },
})
