/** Backends on the network: the ones that speak the audio API of OpenAI are rows of a table, ElevenLabs has its own. */

import type { AudioFormat, SpeechBackend } from 'svc/sdk/media'
import { isKeyAllowedAt, isLoopback } from 'svc/sdk/provider'
import type { ApiClient } from 'svc/sdk/web'
import type { Config } from './config.ts'
import type { AudioServer } from './openai.ts'
import type { VoiceList } from './routes.ts'

export interface HostedDeps {
  readonly config: Config
  readonly variable: (name: string) => string | undefined
  readonly service: (about: { readonly who: string; readonly keyName?: string }) => ApiClient
}

interface Row {
  readonly name: 'openai' | 'groq' | 'custom'
  readonly label: string
  readonly order: number
  readonly keyName: string
  /** The only hosts that may have the key; left out: whichever the user named, and the key is no must. */
  readonly hosts?: readonly string[]
  readonly maxCharacters: number
  readonly formats: readonly AudioFormat[]
}

/** Uploads: platform.openai.com/docs/guides/speech-to-text and console.groq.com/docs/speech-text say 25 MB. */
const MAX_BYTES = 25_000_000
const ELEVENLABS_KEY = 'ELEVENLABS_API_KEY'

const ROWS: readonly Row[] = [
  {
    ...{ name: 'custom', label: 'A server of your own', order: 20, keyName: 'SPEECH_API_KEY' },
    ...{ maxCharacters: 4096, formats: ['mp3', 'opus', 'wav'] },
  },
  {
    ...{ name: 'openai', label: 'OpenAI', order: 40, keyName: 'OPENAI_API_KEY', hosts: ['openai.com'] },
    ...{ maxCharacters: 4096, formats: ['mp3', 'opus', 'wav'] },
  },
  {
    // console.groq.com/docs/text-to-speech: Orpheus takes 200 characters and answers in WAV.
    ...{ name: 'groq', label: 'Groq', order: 50, keyName: 'GROQ_API_KEY', hosts: ['groq.com'] },
    ...{ maxCharacters: 200, formats: ['wav'] },
  },
]

/** All of them. */
export function hostedBackends(deps: HostedDeps): readonly SpeechBackend[] {
  return [...ROWS.map((row) => audioBackend(row, deps)), elevenLabs(deps)]
}

function audioBackend(row: Row, deps: HostedDeps): SpeechBackend {
  const { name, label, order, maxCharacters, formats } = row
  const own = deps.config[name]
  const { base_url: baseUrl, tts_model: ttsModel, stt_model: sttModel, voice } = own
  const isLocal = row.hosts === undefined && URL.canParse(baseUrl) && isLoopback(new URL(baseUrl))
  const account = (model: string) => (isLocal ? {} : { account: { provider: name, model } })
  const server = (model: string): AudioServer => ({
    service: deps.service({ who: row.hosts ? label : `The server at ${new URL(baseUrl).host}`, keyName: row.keyName }),
    key: deps.variable(row.keyName),
    ...{ baseUrl, model },
  })
  return {
    name,
    label,
    order,
    missing: (job) => describeMissing(row, baseUrl, job === 'speak' ? ttsModel : sttModel, deps),
    voice: {
      maxCharacters,
      formats,
      ...account(ttsModel),
      speak: async (asked) => (await import('./openai.ts')).speak({ ...asked, voice }, server(ttsModel)),
    },
    ear: {
      maxBytes: MAX_BYTES,
      ...account(sttModel),
      transcribe: async (asked) => {
        const more = { language: deps.config.language }
        return (await import('./openai.ts')).transcribe({ ...asked, ...more }, server(sttModel))
      },
    },
  }
}

function describeMissing(
  { name, keyName, hosts }: Row,
  baseUrl: string,
  model: string,
  deps: HostedDeps,
): string | undefined {
  const at = `speech.${name}.base_url`
  if (!/^https?:/i.test(baseUrl) || !URL.canParse(baseUrl)) return `needs ${at}`
  if (model === '') return `needs a model in speech.${name}`
  if (hosts === undefined) return undefined
  if (!isKeyAllowedAt(new URL(baseUrl), hosts)) return `needs an address of ${hosts[0]} in ${at}`
  return deps.variable(keyName) === undefined ? `needs ${keyName}` : undefined
}

function describeMissingElevenLabs({ config, variable }: HostedDeps): string | undefined {
  const { base_url: baseUrl } = config.elevenlabs
  if (!URL.canParse(baseUrl) || !isKeyAllowedAt(new URL(baseUrl), ['elevenlabs.io']))
    return 'needs an address of elevenlabs.io in speech.elevenlabs.base_url'
  return variable(ELEVENLABS_KEY) === undefined ? `needs ${ELEVENLABS_KEY}` : undefined
}

/** For a page that offers them. */
export function voicesOfElevenLabs(deps: HostedDeps): VoiceList {
  return {
    missing: () => describeMissingElevenLabs(deps),
    async list(signal) {
      const service = deps.service({ who: 'ElevenLabs', keyName: ELEVENLABS_KEY })
      const { base_url: baseUrl } = deps.config.elevenlabs
      const { listVoices } = await import('./elevenlabs.ts')
      return listVoices({ service, baseUrl, key: deps.variable(ELEVENLABS_KEY) ?? '' }, signal)
    },
  }
}

function elevenLabs(deps: HostedDeps): SpeechBackend {
  const { base_url: baseUrl, model, voice } = deps.config.elevenlabs
  const keyName = ELEVENLABS_KEY
  return {
    name: 'elevenlabs',
    label: 'ElevenLabs',
    order: 30,
    missing: () => describeMissingElevenLabs(deps),
    voice: {
      // help.elevenlabs.io, error code 400: 10,000 characters for the smaller of its models.
      maxCharacters: 10_000,
      formats: ['mp3', 'opus'],
      account: { provider: 'elevenlabs', model },
      speak: async (asked) => {
        const service = deps.service({ who: 'ElevenLabs', keyName })
        const account = { service, baseUrl, model, voice, key: deps.variable(keyName) ?? '' }
        return (await import('./elevenlabs.ts')).speak(asked, account)
      },
    },
  }
}
