import { createTranslator, definePlugin, SlashCommands } from 'svc/sdk'
import { ChatModes } from './chat-modes.ts'
import { voiceCommand } from './commands.ts'
import { type Config, config } from './config.ts'
import { speakAnswers } from './spoken-answers.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const t = createTranslator(ctx)
    const modes = new ChatModes(ctx)
    speakAnswers(ctx, modes, t)
    ctx.add(SlashCommands, voiceCommand(ctx, { modes, t }))
  },
})
