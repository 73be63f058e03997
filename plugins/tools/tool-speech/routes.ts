/** Speech for the dashboard: a recording as text, a text as sound, and the voices of ElevenLabs. */
import { SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'
import { chooseEar, chooseVoice } from './choose.ts'
import { synthesis } from './synthesis.ts'
import type { SpeechDeps } from './tools.ts'
import { chosenEar, transcribe } from './transcription.ts'

const MAX_RECORDING = 25_000_000
/** As a `data:` URL, in base64. */
const MAX_BODY = Math.ceil((MAX_RECORDING * 4) / 3) + 4096
const DATA = /^data:(?:audio|video)\/[\w.+-]+(?:;[\w.+-]+=[\w.+-]+)*;base64,[A-Za-z0-9+/]+={0,2}$/

/** Voices of an account, by the API that has them. */
export interface VoiceList {
  /** Why it cannot be asked. */
  missing(): string | undefined
  list(
    signal: AbortSignal,
  ): Promise<readonly { readonly id: string; readonly name: string; readonly category: string }[]>
}

export function audioRoutes(deps: SpeechDeps, voices: VoiceList): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'POST',
      path: '/api/audio/transcribe',
      summary: 'What is said in a recording, by the backend of `speech.stt_backend`',
      body: z.strictObject({ data_url: z.string().min(1), mime_type: z.string().max(100).optional() }),
      response: z.object({ ok: z.literal(true), transcript: z.string(), provider: z.string() }),
      maxBytes: MAX_BODY,
      async handle({ body: { data_url: url }, signal }) {
        if (!DATA.test(url))
          throw new SvcError('SPEECH_RECORDING', 'data_url is no recording: a data: URL of audio in base64.', {
            status: 400,
          })
        const bytes = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
        const { backend, part } = withStatus(() => chosenEar(deps))
        if (bytes.length > part.maxBytes)
          throw new SvcError('SPEECH_RECORDING', `${backend.label} takes at most ${part.maxBytes} bytes.`, {
            status: 413,
          })
        const sound = await deps
          .media()
          .sound({ source: bytes, cwd: '/', signal, maxBytes: part.maxBytes })
          .catch((cause: unknown) => {
            signal.throwIfAborted()
            throw cause instanceof SvcError ? new SvcError(cause.code, cause.message, { status: 400, cause }) : cause
          })
        return {
          ok: true as const,
          transcript: await transcribe(part, { sound, signal }, deps),
          provider: backend.name,
        }
      },
    }),
    speakRoute(deps),
    statusRoute(deps),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/audio/elevenlabs/voices',
      summary: 'The voices that the key of ElevenLabs may use',
      response: z.object({
        available: z.boolean(),
        voices: z.array(z.object({ id: z.string(), name: z.string(), category: z.string() })),
        error: z.string().optional(),
      }),
      async handle({ signal }) {
        const missing = voices.missing()
        if (missing !== undefined) return { available: false, voices: [], error: `ElevenLabs ${missing}.` }
        return { available: true, voices: [...(await voices.list(signal))] }
      },
    }),
  ]
}

function speakRoute(deps: SpeechDeps): DashboardRoute {
  return defineDashboardRoute({
    method: 'POST',
    path: '/api/audio/speak',
    summary: 'A text as sound, by the backend of `speech.tts_backend`',
    body: z.strictObject({ text: z.string().trim().min(1).max(100_000) }),
    response: z.object({
      ...{ ok: z.literal(true), data_url: z.string(), mime_type: z.string(), provider: z.string() },
    }),
    async handle({ body: { text }, signal }) {
      const speech = synthesis(deps)
      const voice = speech.backend()
      if ('reason' in voice)
        throw new SvcError('SPEECH_NO_BACKEND', `No backend can speak: ${voice.reason}.`, { status: 503 })
      const { bytes, mediaType } = await speech.synthesize({ text, formats: ['mp3'], signal })
      const url = `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`
      return { ok: true as const, data_url: url, mime_type: mediaType, provider: voice.name }
    },
  })
}

const jobSchema = z.object({
  provider: z.string().nullable().meta({ description: 'The backend that does it; null where no backend is set up.' }),
  missing: z.string().nullable().meta({ description: 'Why no backend can do it.' }),
})

/** Reads the configuration only: no backend is called. */
function statusRoute(deps: SpeechDeps): DashboardRoute {
  const describe = (choice: ReturnType<typeof chooseVoice> | ReturnType<typeof chooseEar>) =>
    'reason' in choice ? { provider: null, missing: choice.reason } : { provider: choice.backend.name, missing: null }
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/audio/status',
    summary: 'Which backends speak and transcribe, or what they lack',
    response: z.object({ speak: jobSchema, transcribe: jobSchema }),
    handle: async () => ({ speak: describe(chooseVoice(deps)), transcribe: describe(chooseEar(deps)) }),
  })
}

/** What is not set up is no fault of the request. */
function withStatus<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw cause instanceof SvcError ? new SvcError(cause.code, cause.message, { status: 503, cause }) : cause
  }
}
