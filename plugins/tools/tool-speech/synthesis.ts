/** Speaks with the backend that is chosen, and has it counted: for the tool and for spoken answers alike. */
import { errorMessage, SvcError } from 'svc/sdk'
import {
  type AudioFormat,
  type MediaFiles,
  runWithinBudget,
  type SpeechBackend,
  type SpeechSynthesis,
  type TextToSpeech,
} from 'svc/sdk/media'
import type { Budgets } from 'svc/sdk/safety'
import { type ChoiceDeps, chooseVoice } from './choose.ts'
import type { Config } from './config.ts'
import { isJoinable, joinSpeech } from './join.ts'
import { cutText } from './sentences.ts'

/** What the bytes of a format are seen to be. */
const EXTENSION: Readonly<Record<AudioFormat, string>> = { mp3: 'mp3', opus: 'ogg', wav: 'wav' }
export const MEDIA_TYPE: Readonly<Record<AudioFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
}
const CHARACTERS_PER_TOKEN = 4
/** Tokens of speech for each of text: a guess at what gpt-4o-mini-tts counts. */
const SPOKEN_PER_TOKEN = 6

export interface SynthesisDeps extends ChoiceDeps {
  readonly config: Pick<Config, 'tts_backend' | 'stt_backend' | 'max_characters'>
  readonly budgets: () => Budgets | undefined
  readonly media: () => MediaFiles
  /** Aborted when the plugin goes. */
  readonly unloaded: AbortSignal
}

/** Speech that is decided on: by whom, in what form, in which pieces. */
export interface SpeechPlan {
  readonly backend: SpeechBackend
  readonly voice: TextToSpeech
  readonly format: AudioFormat
  readonly pieces: readonly string[]
}

/** For whom it is spoken, and until when. */
export interface SpeechCall {
  readonly sessionId?: string
  readonly turnId?: string
  readonly signal: AbortSignal
}

export function synthesis(deps: SynthesisDeps): SpeechSynthesis {
  return {
    backend() {
      const choice = chooseVoice(deps)
      return 'reason' in choice ? choice : { name: choice.backend.name, formats: choice.part.formats }
    },
    async synthesize({ text, formats, signal: wanted, ...who }) {
      const plan = planSpeech(text, deps, (able) => formats.find((format) => able.includes(format)) ?? able[0])
      const signal = AbortSignal.any([wanted, deps.unloaded])
      const spoken: Uint8Array[] = []
      for (const piece of plan.pieces) spoken.push(await speakPiece(piece, plan, { ...who, signal }, deps))
      const { format } = plan
      return { bytes: joinSpeech(spoken, format), format, mediaType: MEDIA_TYPE[format] }
    },
  }
}

/**
 * Decides on everything that can be refused before a paid call. `choose` picks one of the formats that hold the whole text; when it
 * picks none the text cannot be spoken. Throws `SPEECH_...`.
 */
export function planSpeech(
  text: string,
  deps: Pick<SynthesisDeps, 'config' | 'backends'>,
  choose: (able: readonly AudioFormat[]) => AudioFormat | undefined,
): SpeechPlan {
  const { max_characters: most } = deps.config
  if (text.length > most) {
    const lengths = `The text has ${text.length} characters, and speech.max_characters is ${most}`
    throw new SvcError('SPEECH_TOO_LONG', `${lengths}. Speak a part of it.`, { status: 413 })
  }
  const choice = chooseVoice(deps)
  if ('reason' in choice) throw new SvcError('SPEECH_NO_BACKEND', `No backend can speak: ${choice.reason}.`)
  const { backend, part: voice } = choice
  const pieces = cutText(text, voice.maxCharacters)
  const able = voice.formats.filter((format) => pieces.length === 1 || isJoinable(format))
  const format = choose(able)
  if (format !== undefined) return { backend, voice, format, pieces }
  const why = pieces.length > 1 ? `, and a text of ${pieces.length} parts cannot be one file of every format` : ''
  const advice = able.length > 0 ? `Let the file end in ${able.map((each) => `.${each}`).join(' or ')}.` : 'Speak less.'
  throw new SvcError('SPEECH_FORMAT', `${backend.label} writes ${voice.formats.join(', ')}${why}. ${advice}`)
}

/** Throws `SPEECH_...` or `BUDGET_EXCEEDED`. */
export async function speakPiece(
  text: string,
  plan: SpeechPlan,
  { signal, ...who }: SpeechCall,
  deps: Pick<SynthesisDeps, 'budgets' | 'media'>,
): Promise<Uint8Array> {
  const { voice, format } = plan
  const inputTokens = Math.ceil(text.length / CHARACTERS_PER_TOKEN)
  const run = () => voice.speak({ text, format, signal })
  const bytes = voice.account
    ? await runWithinBudget(deps.budgets(), {
        spender: { ...who, purpose: 'speech', ...voice.account },
        estimate: { inputTokens, outputTokens: inputTokens * SPOKEN_PER_TOKEN },
        ...{ signal, run },
        usage: () => ({}),
      })
    : await run()
  await check(bytes, plan, signal, deps.media())
  return bytes
}

async function check(
  bytes: Uint8Array,
  { backend, format }: SpeechPlan,
  signal: AbortSignal,
  media: MediaFiles,
): Promise<void> {
  const fail = (what: string, cause?: unknown) =>
    new SvcError('SPEECH_FAILED', `${backend.label} did not speak: ${what}`, { status: 502, cause })
  const { extension } = await media.sound({ source: bytes, cwd: '/', signal }).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : fail(errorMessage(error), error)
  })
  if (extension !== EXTENSION[format]) throw fail(`it sent ${extension} and was asked for ${format}.`)
}
