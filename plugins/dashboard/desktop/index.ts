/** Wires the command `svc desktop`, and what it leaves behind that `svc uninstall` removes. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { UninstallSteps } from 'svc/sdk/operations'
import { desktopCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, desktopCommand(ctx))
    ctx.add(UninstallSteps, {
      name: 'desktop-links',
      phase: 'files',
      find: async () => (await import('./link-registration.ts')).findRegistration(ctx),
    })
  },
})
