import { definePlugin, SlashCommands } from 'svc/sdk'
import { beginCommands } from './new-session.ts'
import { resumeCommand } from './resume.ts'
import { rewindCommands } from './rewind.ts'
import { lookCommands } from './show-commands.ts'

export default definePlugin({
  setup(ctx) {
    for (const command of [...beginCommands(ctx), ...rewindCommands(ctx), resumeCommand(ctx), ...lookCommands(ctx)])
      ctx.add(SlashCommands, command)
  },
})
