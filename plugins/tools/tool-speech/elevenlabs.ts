/**
 * The API of ElevenLabs: `POST /text-to-speech/<voice>?output_format=...`
 * (elevenlabs.io/docs/api-reference/text-to-speech/convert), key in `xi-api-key`.
 */
import { SvcError } from 'svc/sdk'
import type { AudioFormat } from 'svc/sdk/media'
import { type ApiClient, fetchBytes } from 'svc/sdk/web'

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
