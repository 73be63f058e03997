/** Wires the command `svc desktop`. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { desktopCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, desktopCommand(ctx))
  },
})
