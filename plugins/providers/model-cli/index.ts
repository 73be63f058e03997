/** The shell command `svc model`. */
import { CliCommands, definePlugin, SlashCommands } from 'svc/sdk'
import { SetupSections } from 'svc/sdk/operations'
import { modelCommand } from './cli.ts'
import { modelSlashCommands } from './commands.ts'
import { createFastCommand } from './fast-command.ts'
import { createModelSection } from './setup-section.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, modelCommand(ctx))
    ctx.add(SetupSections, createModelSection(ctx))
    for (const command of modelSlashCommands(ctx)) ctx.add(SlashCommands, command)
    ctx.add(SlashCommands, createFastCommand(ctx))
  },
})
