/** The shell command `svc portal`. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { portalCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, portalCommand(ctx))
  },
})
