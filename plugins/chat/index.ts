import { CliCommands, definePlugin, SlashCommands } from 'svc/sdk'
import { chatCommand } from './cli.ts'
import { slashCommands } from './commands.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, chatCommand(ctx))
    for (const command of slashCommands(ctx)) ctx.add(SlashCommands, command)
  },
})
