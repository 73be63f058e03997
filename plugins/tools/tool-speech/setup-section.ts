/** The section `voice` of `svc setup`: who speaks and who listens. */
import type { PluginContext } from 'svc/sdk'
import { type SpeechBackend, SpeechBackends } from 'svc/sdk/media'
import type { SetupQuestion, SetupSection } from 'svc/sdk/operations'
import type { Config } from './config.ts'

export function createVoiceSection(ctx: PluginContext<Config>): SetupSection {
  return {
    ...{ name: 'voice', title: 'Voice', order: 50 },
    description: 'Who speaks, and who reads what is said in recordings.',
    async questions() {
      const backends = ctx.all(SpeechBackends).all()
      return [
        backendQuestion('speaks', 'speech.tts_backend', 'speak', backends),
        backendQuestion('listens', 'speech.stt_backend', 'transcribe', backends),
        {
          ...{ key: 'language', title: 'Language that is spoken', kind: 'text', isOptional: true },
          path: 'speech.language',
          help: 'As en or de. Empty: it is found out by listening.',
        },
      ]
    },
  }
}

function backendQuestion(
  key: string,
  path: string,
  job: 'speak' | 'transcribe',
  backends: readonly SpeechBackend[],
): SetupQuestion {
  const able = backends.filter(({ voice, ear }) => (job === 'speak' ? voice : ear) !== undefined)
  const options = able.map((backend) => {
    const missing = backend.missing(job)
    return { value: backend.name, title: backend.label, ...(missing !== undefined && { note: missing }) }
  })
  const automatic = { value: '', title: 'automatic', note: 'the first that can' }
  return { key, title: `Who ${key}`, kind: 'choice', isOptional: true, path, options: [...options, automatic] }
}
