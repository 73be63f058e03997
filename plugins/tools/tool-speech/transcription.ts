/** Transcribes with the backend that is chosen, and has it counted: for the tool and for voice messages alike. */
import { SvcError } from 'svc/sdk'
import { runWithinBudget, type SpeechToText, type Transcription } from 'svc/sdk/media'
import type { Budgets } from 'svc/sdk/safety'
import { type ChoiceDeps, chooseEar } from './choose.ts'

/** Rough: a second of speech has 16,000 bytes and ten tokens. */
const BYTES_PER_TOKEN = 1600

type Order = Parameters<Transcription['transcribe']>[0]

export interface TranscriptionDeps extends ChoiceDeps {
  readonly budgets: () => Budgets | undefined
  /** Aborted when the plugin goes. */
  readonly unloaded: AbortSignal
}

export function transcription(deps: TranscriptionDeps): Transcription {
  return {
    backend: () => {
      const choice = chooseEar(deps)
      return 'reason' in choice ? choice : { name: choice.backend.name, maxBytes: choice.part.maxBytes }
    },
    transcribe: (order) => transcribe(chosenEar(deps).part, order, deps),
  }
}

/** Throws `SPEECH_NO_BACKEND`. */
export function chosenEar(deps: ChoiceDeps): Exclude<ReturnType<typeof chooseEar>, { readonly reason: string }> {
  const choice = chooseEar(deps)
  if ('reason' in choice) throw new SvcError('SPEECH_NO_BACKEND', `No backend can transcribe: ${choice.reason}.`)
  return choice
}

/** Throws `SPEECH_...` or `BUDGET_EXCEEDED`. */
export async function transcribe(
  ear: SpeechToText,
  { sound, sessionId, turnId, signal: wanted }: Order,
  { budgets, unloaded }: TranscriptionDeps,
): Promise<string> {
  const signal = AbortSignal.any([wanted, unloaded])
  const run = () => ear.transcribe({ sound, signal })
  if (!ear.account) return (await run()).text.trim()
  const inputTokens = Math.ceil(sound.bytes.length / BYTES_PER_TOKEN)
  const who = { ...(sessionId !== undefined && { sessionId }), ...(turnId !== undefined && { turnId }) }
  const heard = await runWithinBudget(budgets(), {
    spender: { ...who, purpose: 'transcription', ...ear.account },
    estimate: { inputTokens, outputTokens: inputTokens },
    ...{ signal, run },
    usage: ({ usage }) => usage,
  })
  return heard.text.trim()
}
