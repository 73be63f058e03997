/** The shell command `svc model`. */
import { CliCommands, definePlugin, SlashCommands } from 'svc/sdk'
import { modelCommand } from './cli.ts'
import { modelSlashCommands } from './commands.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, modelCommand(ctx))
    for (const command of modelSlashCommands(ctx)) ctx.add(SlashCommands, command)
  },
})
