import { definePlugin, SlashCommands } from 'svc/sdk'
import { aboutCommands } from './commands.ts'

export default definePlugin({
  setup(ctx) {
    for (const command of aboutCommands(ctx)) ctx.add(SlashCommands, command)
  },
})
