/** The shell command `svc config`. */
import { CliCommands, definePlugin, SlashCommands } from 'svc/sdk'
import { configCommand } from './cli.ts'
import { configSlashCommand } from './commands.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, configCommand(ctx))
    ctx.add(SlashCommands, configSlashCommand(ctx))
  },
})
