/** Wires the shell command `svc cron`. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { cronCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, cronCommand(ctx))
  },
})
