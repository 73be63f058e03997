import { createTranslator, definePlugin, SlashCommands, TurnEnded } from 'svc/sdk'
import { ConversationClosed } from 'svc/sdk/hooks'
import { HealthChecks } from 'svc/sdk/host'
import { KeyBindings, StatusItems } from 'svc/sdk/terminal'
import { ChatModes } from './chat-modes.ts'
import { voiceCommand } from './commands.ts'
import { type Config, config } from './config.ts'
import { voiceCheck } from './health.ts'
import { speakAnswers } from './spoken-answers.ts'
import { TerminalVoice } from './terminal-voice.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const t = createTranslator(ctx)
    const modes = new ChatModes(ctx)
    const voice = new TerminalVoice(ctx, t)
    speakAnswers(ctx, modes, t)
    ctx.add(SlashCommands, voiceCommand(ctx, { modes, voice, t }))
    ctx.add(HealthChecks, voiceCheck(ctx))
    for (const key of new Set(['f9', ctx.config.record_key]))
      ctx.add(KeyBindings, {
        key,
        description: 'Listen, and send what was said',
        run: (ui) => voice.press(ui),
      })
    ctx.add(StatusItems, {
      name: 'voice',
      order: 35,
      line: ({ sessionId }) => voice.statusOf(sessionId),
      onChange: (changed) => voice.onChange(changed),
    })
    ctx.on(TurnEnded, (turn) => voice.turnEnded(turn))
    ctx.on(ConversationClosed, ({ sessionId }) => voice.end(sessionId))
  },
})
