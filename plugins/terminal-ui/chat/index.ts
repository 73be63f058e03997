import { CliCommands, definePlugin } from 'svc/sdk'
import { chatCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, chatCommand(ctx))
  },
})
