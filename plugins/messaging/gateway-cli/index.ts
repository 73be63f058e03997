import { CliCommands, definePlugin } from 'svc/sdk'
import { gatewayCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, gatewayCommand(ctx))
  },
})
