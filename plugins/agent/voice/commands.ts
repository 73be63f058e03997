/** The command `/voice`. */
import type { PluginContext, SlashCommand, Translate } from 'svc/sdk'
import type { MessageOrigin } from 'svc/sdk/platform'
import { Platforms } from 'svc/sdk/platform'
import type { ChatModes } from './chat-modes.ts'
import type { ChatMode, Config } from './config.ts'
import { findSpeechProblem, takesFiles } from './spoken-answers.ts'

export interface VoiceCommandDeps {
  readonly modes: ChatModes
  readonly t: Translate
}

const CHAT_WORDS: Readonly<Record<string, ChatMode>> = { on: 'on', tts: 'on', auto: 'auto', off: 'off' }

export function voiceCommand(ctx: PluginContext<Config>, { modes, t }: VoiceCommandDeps): SlashCommand {
  return {
    name: 'voice',
    description: 'Have answers spoken',
    category: 'Configuration',
    argsHint: '[on | auto | off | status]',
    subcommands: ['on', 'auto', 'off', 'status'],
    surfaces: ['gateway'],
    async run(args, { by }) {
      const [word = 'status'] = args.toLowerCase().split(/\s+/).filter(Boolean)
      if (!by) return t('This cannot be done here.')
      return inChat(ctx, by, word, { modes, t })
    },
  }
}

async function inChat(
  ctx: PluginContext<Config>,
  chat: MessageOrigin,
  word: string,
  { modes, t }: VoiceCommandDeps,
): Promise<string> {
  const platform = ctx.all(Platforms).get(chat.platform)
  const name = platform?.label ?? chat.platform
  if (!takesFiles(ctx, chat.platform)) return t('{name} takes no sounds, so answers cannot be spoken here.', { name })
  const wanted = CHAT_WORDS[word]
  if (wanted === undefined && word !== 'status')
    return t('Not "{word}": /voice on, /voice auto, /voice off or /voice status.', { word })
  if (wanted !== undefined) await modes.set(chat, wanted)
  const mode = modes.of(chat)
  const problem = mode === 'off' ? undefined : findSpeechProblem(ctx, t)
  const missing =
    problem && t('They cannot be spoken yet: {reason}. `svc setup voice` sets that up.', { reason: problem })
  return [describe(mode, t), missing].filter(Boolean).join('\n\n')
}

function describe(mode: ChatMode, t: Translate): string {
  if (mode === 'on') return t('Every answer here is also spoken. `/voice auto`: only answers to voice messages.')
  if (mode === 'auto') return t('Answers to voice messages are also spoken here. `/voice on`: all of them.')
  return t('Answers are not spoken here. `/voice on`: all of them; `/voice auto`: those to voice messages.')
}
