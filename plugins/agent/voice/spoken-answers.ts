/** Speaks the answers of chats: the sound follows the text, and a text whose sound fails stays as it is. */
import { errorMessage, logFault, type PluginContext, Secrets, type Translate } from 'svc/sdk'
import {
  type AnsweredTurn,
  type AnswerFollowUp,
  type AudioFormat,
  SelectAnswerFiles,
  SpeechSynthesis,
} from 'svc/sdk/media'
import { Platforms } from 'svc/sdk/platform'
import type { ChatModes } from './chat-modes.ts'
import type { Config } from './config.ts'
import { toSpeakable } from './speakable-text.ts'

/** Where the platform has no voice messages: what most programs play, first. */
const SOUNDS: readonly AudioFormat[] = ['mp3', 'opus', 'wav']
const EXTENSION: Readonly<Record<AudioFormat, string>> = { mp3: 'mp3', opus: 'ogg', wav: 'wav' }

export function speakAnswers(ctx: PluginContext<Config>, modes: ChatModes, t: Translate): void {
  ctx.on(SelectAnswerFiles, async (followUp, turn) => {
    const text = isWanted(modes, turn) ? toSpeakable(turn.answer, ctx.config.max_reply_characters) : ''
    return text === '' || !takesFiles(ctx, turn.platform) ? followUp : add(ctx, followUp, { turn, text, t })
  })
}

/** Whether an answer can be heard there. */
export function takesFiles(ctx: PluginContext<Config>, platform: string): boolean {
  return ctx.all(Platforms).get(platform)?.limits.files !== undefined
}

/** Why nothing can be spoken now; undefined when it can. */
export function findSpeechProblem(ctx: PluginContext<Config>, t: Translate): string | undefined {
  const backend = ctx.find(SpeechSynthesis)?.backend() ?? { reason: t('no plugin can speak') }
  return 'reason' in backend ? backend.reason : undefined
}

function isWanted(modes: ChatModes, turn: AnsweredTurn): boolean {
  const mode = modes.of(turn)
  const isSpokenTo = turn.messages.some(({ files = [] }) => files.some(({ isVoice }) => isVoice))
  return mode === 'on' || (mode === 'auto' && isSpokenTo)
}

async function add(
  ctx: PluginContext<Config>,
  followUp: AnswerFollowUp,
  { turn, text, t }: { readonly turn: AnsweredTurn; readonly text: string; readonly t: Translate },
): Promise<AnswerFollowUp> {
  const { sessionId, turnId, signal } = turn
  const formats = ctx.all(Platforms).get(turn.platform)?.limits.voice ?? SOUNDS
  const problem = findSpeechProblem(ctx, t)
  try {
    if (problem !== undefined) return withReason(followUp, problem, t)
    const spoken = ctx.use(Secrets).mask(text)
    const speech = await ctx.use(SpeechSynthesis).synthesize({ text: spoken, formats, sessionId, turnId, signal })
    const { bytes, format, mediaType } = speech
    const file = { name: `voice.${EXTENSION[format]}`, mediaType, bytes, isVoice: true, id: 'voice' } as const
    return { ...followUp, files: [...followUp.files, file] }
  } catch (error) {
    if (signal.aborted) throw error
    logFault(ctx.log, 'an answer could not be spoken', error)
    return withReason(followUp, errorMessage(error), t)
  }
}

function withReason(followUp: AnswerFollowUp, reason: string, t: Translate): AnswerFollowUp {
  const said = `⚠️ ${t('This answer could not be spoken: {reason}', { reason })}`
  return { ...followUp, text: followUp.text === '' ? said : `${followUp.text}\n\n${said}` }
}
