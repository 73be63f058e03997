/**
 * The audio API of OpenAI (platform.openai.com/docs/api-reference/audio), through its own client. Groq and many local
 * servers speak it, too (console.groq.com/docs/speech-text).
 */
import type { OpenAI } from 'openai'
import type { AudioFormat, MediaFile, TranscriptionResult } from 'svc/sdk/media'
import { type ApiClient, createFetch, toApiError } from 'svc/sdk/web'
import { z } from 'zod'

/** The endpoint. */
export interface AudioServer {
  readonly service: ApiClient
  readonly baseUrl: string
  readonly key: string | undefined
  readonly model: string
}

const heard = z.object({
  text: z.string(),
  usage: z.object({ input_tokens: z.number().nullish(), output_tokens: z.number().nullish() }).nullish(),
})

const LIMITS = { timeoutMs: 180_000, idleMs: 60_000, maxBytes: 64 * 2 ** 20 }

/** The sound. Throws the service's code. */
export async function speak(
  asked: { readonly text: string; readonly voice: string; readonly format: AudioFormat; readonly signal: AbortSignal },
  server: AudioServer,
): Promise<Uint8Array> {
  const { text: input, voice, format: response_format, signal } = asked
  const { model } = server
  return call(server, { signal }, async ({ client }) => {
    const answer = await client.audio.speech.create({ model, input, voice, response_format }, { signal })
    return new Uint8Array(await answer.arrayBuffer())
  })
}

/** The words. Throws the service's code. */
export async function transcribe(
  asked: { readonly sound: MediaFile; readonly language: string; readonly signal: AbortSignal },
  server: AudioServer,
): Promise<TranscriptionResult> {
  const { sound, language, signal } = asked
  const answer = await call(server, { signal, schema: heard }, async ({ client, toFile }) => {
    // Services know the kind of a sound by the ending of its name.
    const file = await toFile(sound.bytes, `sound.${sound.extension}`, { type: sound.mediaType })
    const more = language === '' ? {} : { language }
    const fields = { file, model: server.model, response_format: 'json', ...more } as const
    return (await client.audio.transcriptions.create(fields, { signal })) as z.infer<typeof heard>
  })
  const { input_tokens: input, output_tokens: output } = answer.usage ?? {}
  const usage = {
    ...(typeof input === 'number' ? { input } : {}),
    ...(typeof output === 'number' ? { output } : {}),
  }
  return { text: answer.text, usage }
}

type Client = { readonly client: OpenAI; readonly toFile: typeof import('openai').toFile }

async function call<T>(
  { service, baseUrl, key }: AudioServer,
  { signal, schema }: { readonly signal: AbortSignal; readonly schema?: typeof heard },
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { OpenAI, toFile } = await import('./client.ts')
  const client = new OpenAI({
    baseURL: baseUrl.replace(/\/+$/, ''),
    // Everything is given, so that nothing is taken from the environment.
    apiKey: key ?? 'none',
    organization: null,
    project: null,
    logLevel: 'off',
    ...(key === undefined ? { defaultHeaders: { authorization: null } } : {}),
    maxRetries: 0,
    // The limits of `createFetch` hold; this one would be on another clock.
    timeout: LIMITS.timeoutMs * 2,
    fetch: createFetch(service, { ...LIMITS, ...(schema ? { schema } : {}) }),
  })
  try {
    return await work({ client, toFile })
  } catch (error) {
    throw toApiError(error, service, signal)
  }
}
