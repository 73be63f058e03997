/** The shell command `svc tools`. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { SetupSections } from 'svc/sdk/operations'
import { toolsCommand } from './cli.ts'
import { createToolsSection } from './setup-section.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, toolsCommand(ctx))
    ctx.add(SetupSections, createToolsSection(ctx))
  },
})
