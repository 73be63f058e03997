import { CliCommands, definePlugin } from 'svc/sdk'
import { HealthChecks } from 'svc/sdk/host'
import { pluginsCommand } from './cli.ts'
import { changesCheck } from './health.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, pluginsCommand(ctx))
    ctx.add(HealthChecks, changesCheck(ctx))
  },
})
