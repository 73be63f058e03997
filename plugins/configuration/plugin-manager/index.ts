import { CliCommands, definePlugin } from 'svc/sdk'
import { pluginsCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, pluginsCommand(ctx))
  },
})
