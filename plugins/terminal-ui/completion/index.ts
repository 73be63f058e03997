import { CliCommands, definePlugin } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
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
