/**
 * The API of ElevenLabs: `POST /text-to-speech/<voice>?output_format=...`
 * (elevenlabs.io/docs/api-reference/text-to-speech/convert) and `GET /voices` (elevenlabs.io/docs/api-reference/voices/get-all), key in `xi-api-key`.
 */
import { SvcError } from 'svc/sdk'
import type { AudioFormat } from 'svc/sdk/media'
import { type ApiClient, fetchBytes, fetchJson } from 'svc/sdk/web'
import { z } from 'zod'

/** Where the service is and who asks. */
export interface Account {
  readonly service: ApiClient
  readonly baseUrl: string
  readonly key: string
  readonly model: string
  readonly voice: string
}

/** What every plan may have. Opus comes in Ogg. */
const OUTPUT: Partial<Record<AudioFormat, string>> = { mp3: 'mp3_44100_128', opus: 'opus_48000_64' }
const MAX_SOUND = 64 * 2 ** 20
const MAX_LIST = 8 * 2 ** 20
const voiceList = z.object({
  voices: z.array(z.object({ voice_id: z.string(), name: z.string(), category: z.string().nullish() })),
})

/** The sound. Throws the service's code. */
export async function speak(
  asked: { readonly text: string; readonly format: AudioFormat; readonly signal: AbortSignal },
  { service, baseUrl, key, model, voice }: Account,
): Promise<Uint8Array> {
  const output = OUTPUT[asked.format]
  if (output === undefined) throw new SvcError('SPEECH_FORMAT', `ElevenLabs does not write ${asked.format}.`)
  const request = {
    url: `${baseUrl.replace(/\/+$/, '')}/text-to-speech/${encodeURIComponent(voice)}?output_format=${output}`,
    method: 'POST',
    headers: { 'xi-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ text: asked.text, model_id: model }),
    signal: asked.signal,
    timeoutMs: 180_000,
    idleMs: 60_000,
  }
  return fetchBytes(service, request, MAX_SOUND)
}

/** The voices of the account. Throws the service's code. */
export async function listVoices(
  { service, baseUrl, key }: Pick<Account, 'service' | 'baseUrl' | 'key'>,
  signal: AbortSignal,
) {
  const request = {
    ...{ url: `${baseUrl.replace(/\/+$/, '')}/voices`, method: 'GET', headers: { 'xi-api-key': key } },
    ...{ signal, timeoutMs: 30_000 },
  }
  const { voices } = await fetchJson(service, request, voiceList, MAX_LIST)
  return voices.map(({ voice_id: id, name, category }) => ({ id, name, category: category ?? '' }))
}
