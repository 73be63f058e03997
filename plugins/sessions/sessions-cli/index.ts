import { CliCommands, definePlugin, SlashCommands } from 'svc/sdk'
import { sessionsCommand } from './cli.ts'
import { sessionFileCommands } from './commands.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, sessionsCommand(ctx))
    for (const command of sessionFileCommands(ctx)) ctx.add(SlashCommands, command)
  },
})
