import { CliCommands, definePlugin } from 'svc/sdk'
import { createExportCommand, createImportCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, createExportCommand(ctx))
    ctx.add(CliCommands, createImportCommand(ctx))
  },
})
