/**
 * The audio API of OpenAI: `POST /audio/speech` in JSON, answered with the sound, and `POST /audio/transcriptions` as a
 * form (platform.openai.com/docs/api-reference/audio). Groq and many local servers speak it, too
 * (console.groq.com/docs/speech-text).
 */
import {
  askWeb,
  askWebBytes,
  type HeardSpeech,
  type MediaFile,
  multipartForm,
  type SpeechFormat,
  type WebService,
} from 'svc/sdk'
import { z } from 'zod'

/** Who is asked. */
export interface AudioServer {
  readonly service: WebService
  readonly baseUrl: string
  readonly key: string | undefined
  readonly model: string
}

const heard = z.object({
  text: z.string(),
  usage: z.object({ input_tokens: z.number().nullish(), output_tokens: z.number().nullish() }).nullish(),
})

const WAIT_MS = 180_000
const MOST_SOUND = 64 * 2 ** 20

/** The sound. Throws the service's code. */
export function speak(
  asked: { readonly text: string; readonly voice: string; readonly format: SpeechFormat; readonly signal: AbortSignal },
  server: AudioServer,
): Promise<Uint8Array> {
  const { text, voice, format, signal } = asked
  const body = JSON.stringify({ model: server.model, input: text, voice, response_format: format })
  const request = { ...requestOf('/audio/speech', 'application/json', server), body, signal }
  return askWebBytes(server.service, request, MOST_SOUND)
}

/** The words. Throws the service's code. */
export async function transcribe(
  asked: {
    readonly sound: MediaFile
    readonly language: string
    readonly boundary: string
    readonly signal: AbortSignal
  },
  server: AudioServer,
): Promise<HeardSpeech> {
  const { sound, language, boundary, signal } = asked
  // Services know the kind of a sound by the ending of its name.
  const name = `sound.${sound.extension}`
  const fields = { model: server.model, response_format: 'json', ...(language === '' ? {} : { language }) }
  const form = multipartForm(fields, { field: 'file', name, mediaType: sound.mediaType, bytes: sound.bytes }, boundary)
  const request = { ...requestOf('/audio/transcriptions', form.contentType, server), body: form.body, signal }
  const { text, usage } = await askWeb(server.service, request, heard)
  const { input_tokens: input, output_tokens: output } = usage ?? {}
  const counted = {
    ...(typeof input === 'number' ? { input } : {}),
    ...(typeof output === 'number' ? { output } : {}),
  }
  return { text, usage: counted }
}

function requestOf(path: string, contentType: string, { baseUrl, key }: AudioServer) {
  return {
    url: `${baseUrl.replace(/\/+$/, '')}${path}`,
    method: 'POST',
    headers: { 'content-type': contentType, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
    timeoutMs: WAIT_MS,
    idleMs: 60_000,
  }
}
