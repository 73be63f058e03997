import { CliCommands, definePlugin } from 'svc/sdk'
import { sessionsCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, sessionsCommand(ctx))
  },
})
