import { CliCommands, definePlugin } from 'svc/sdk'
import { createUpdateCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, createUpdateCommand(ctx))
  },
})
