import { definePlugin, PromptParts, SlashCommands } from 'svc/sdk'
import { Manner, personalityCommand } from './commands.ts'
import { type Config, config } from './config.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const manner = new Manner(ctx.config)
    ctx.add(SlashCommands, personalityCommand(ctx, manner))
    ctx.add(PromptParts, {
      name: 'personality',
      tier: 'context',
      text: () => (manner.text === undefined ? undefined : `How you talk: ${manner.text}`),
    })
  },
})
