import { CliCommands, definePlugin } from 'svc/sdk'
import { UninstallSteps } from 'svc/sdk/operations'
import { createUpdateCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, createUpdateCommand(ctx))
    ctx.add(UninstallSteps, {
      name: 'program',
      phase: 'program',
      find: async (signal) => (await import('./uninstall-step.ts')).findProgram(ctx, signal),
    })
  },
})
