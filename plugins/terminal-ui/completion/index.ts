import { CliCommands, definePlugin, Plugins } from 'svc/sdk'
import { completionCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
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
