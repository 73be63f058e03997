import { CliCommands, definePlugin } from 'svc/sdk'
import { forkCommand, replayCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, replayCommand(ctx))
    ctx.add(CliCommands, forkCommand(ctx))
  },
})
