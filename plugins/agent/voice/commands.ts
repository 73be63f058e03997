/** The command `/voice`, in chats and on the terminal. */
import type { PluginContext, SlashCommand, Translate } from 'svc/sdk'
import { type MessageOrigin, Platforms } from 'svc/sdk/platform'
import type { ChatModes } from './chat-modes.ts'
import type { ChatMode, Config } from './config.ts'
import { findSpeechProblem, takesFiles } from './spoken-answers.ts'
import { onTerminal } from './terminal-commands.ts'
import type { TerminalVoice } from './terminal-voice.ts'

export interface VoiceCommandDeps {
  readonly modes: ChatModes
  readonly voice: TerminalVoice
  readonly t: Translate
}

const CHAT_WORDS: Readonly<Record<string, ChatMode>> = { on: 'on', tts: 'on', auto: 'auto', off: 'off' }

export function voiceCommand(ctx: PluginContext<Config>, deps: VoiceCommandDeps): SlashCommand {
  return {
    name: 'voice',
    description: 'Have answers spoken; on the terminal, talk',
    category: 'Configuration',
    argsHint: '[on | auto | tts | off | status]',
    subcommands: ['on', 'auto', 'off', 'status'],
    async run(args, at) {
      const [word = 'status'] = args.toLowerCase().split(/\s+/).filter(Boolean)
      if (at.surface === 'cli') return onTerminal(ctx, word, at, deps)
      return at.by ? inChat(ctx, at.by, word, deps) : deps.t('This cannot be done here.')
    },
  }
}
async function inChat(
  ctx: PluginContext<Config>,
  chat: MessageOrigin,
  word: string,
  { modes, t }: Pick<VoiceCommandDeps, 'modes' | 't'>,
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
