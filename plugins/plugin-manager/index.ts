import { CliCommands, definePlugin } from 'svc/sdk/index.ts'
import { pluginsCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, pluginsCommand(ctx))
  },
})
