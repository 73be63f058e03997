/** Who speaks and who listens. One backend is asked and no other: two that try are two that may want to be paid. */
import type { SpeechBackend, SpeechToText, TextToSpeech } from 'svc/sdk/media'
import type { Config } from './config.ts'

export interface ChoiceDeps {
  readonly config: Pick<Config, 'tts_backend' | 'stt_backend'>
  readonly backends: () => readonly SpeechBackend[]
}

type Chosen<Part> = { readonly backend: SpeechBackend; readonly part: Part } | { readonly reason: string }

/** The voice that is named, else the first that can, whatever formats it has: a format is no reason to pay another. */
export function chooseVoice(deps: ChoiceDeps): Chosen<TextToSpeech> {
  return choose(deps, { job: 'speak', key: 'tts_backend', part: ({ voice }) => voice })
}

/** The ear that is named, else the first that can. */
export function chooseEar(deps: ChoiceDeps): Chosen<SpeechToText> {
  return choose(deps, { job: 'transcribe', key: 'stt_backend', part: ({ ear }) => ear })
}

interface BackendRequest<Part> {
  readonly job: 'speak' | 'transcribe'
  readonly key: 'tts_backend' | 'stt_backend'
  readonly part: (backend: SpeechBackend) => Part | undefined
}

function choose<Part>(deps: ChoiceDeps, { job, key, part }: BackendRequest<Part>): Chosen<Part> {
  const able = deps.backends().flatMap((backend) => {
    const found = part(backend)
    return found === undefined ? [] : [{ backend, part: found, missing: backend.missing(job) }]
  })
  const name = deps.config[key]
  if (name !== '') {
    const named = able.find(({ backend }) => backend.name === name)
    if (!named)
      return { reason: `speech.${key} is ${name}; there are ${able.map((each) => each.backend.name).join(', ')}` }
    return named.missing === undefined ? named : { reason: `${name} ${named.missing}` }
  }
  const chosen = able.find(({ missing }) => missing === undefined)
  return chosen ?? { reason: able.map(({ backend, missing }) => `${backend.name} ${missing}`).join('; ') }
}
