/** Wires `svc kanban` and `/kanban`. */
import { CliCommands, Config, definePlugin, SlashCommands } from 'svc/sdk'
import { kanbanCommand } from './cli.ts'
import { kanbanSlashCommand } from './commands.ts'

export default definePlugin({
  setup(ctx) {
    const command = kanbanCommand(ctx)
    ctx.add(CliCommands, command)
    ctx.add(
      SlashCommands,
      kanbanSlashCommand(command, () => ctx.use(Config).get('kanban.auto_subscribe_on_create') !== false),
    )
  },
})
