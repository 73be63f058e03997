import { CliCommands, definePlugin } from 'svc/sdk'
import { UninstallSteps, Updates } from 'svc/sdk/operations'
import { createUpdateCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, createUpdateCommand(ctx))
import { UninstallSteps, Updates } from 'svc/sdk/operations'
  },
})
