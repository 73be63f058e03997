import { CliCommands, definePlugin, Secrets } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { UninstallSteps } from 'svc/sdk/operations'
import { completionCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(UninstallSteps, {
      name: 'completion',
      phase: 'files',
      find: async () => (await import('./uninstall-step.ts')).findCompletions((name) => ctx.use(Secrets).get(name)),
    })
    ctx.add(
      CliCommands,
      completionCommand(() =>
        ctx
          .use(Plugins)
          .list()
          .map(({ manifest }) => manifest),
      ),
    )
  },
})
