import { SpeechBackends } from 'svc/sdk/media'
import { expect, onTestFinished, test } from 'vitest'
import { ogg } from '../../../support/pictures.ts'
import { startWebFake } from '../../../support/web-fake.ts'
import { speaking } from '../../tools/tool-speech/speech-stage.ts'
import { stage } from './stage.ts'

const KEY = 'sk-0123456789abcdef0123'
const voice = { files: [{ name: 'voice.ogg', mediaType: 'audio/ogg', ref: 'voice', isVoice: true as const }] }
/** A transcription of OpenAI is estimated at one token in and one out for a note as short as this. */
const EVERYTHING_SPENT = { account: { day: { tokens: 1 } } }

/** A chat whose voice messages a service can transcribe that does not exist outside of this machine. */
async function spokenTo(speech: object, config: Record<string, unknown> = {}, answers: string[] = ['I heard you.']) {
  const service = await startWebFake(speaking)
  onTestFinished(() => service.close())
  const told = await stage(answers, {
    plugins: ['tool-speech', 'budgets'],
    platform: { fetch: async () => ogg() },
    env: { PATH: '/nowhere', OPENAI_API_KEY: KEY, GROQ_API_KEY: KEY },
    config: {
      speech: {
        openai: { base_url: `${service.url}/openai/v1` },
        groq: { base_url: `${service.url}/groq/v1` },
        custom: { base_url: `${service.url}/own/v1`, stt_model: 'whisper-1' },
        ...speech,
      },
      ...config,
    },
  })
  const asked = () => {
    const [message] = told.model.requests.at(-1)?.messages.slice(-1) ?? []
    return message?.text ?? ''
  }
  return { ...told, service, asked }
}

test.for([
  ['openai', '/openai/v1/audio/transcriptions'],
  ['groq', '/groq/v1/audio/transcriptions'],
  ['custom', '/own/v1/audio/transcriptions'],
])('a voice message is transcribed by %s when speech.stt_backend names it', async ([name, path]) => {
  const { fake, gateway, service, asked } = await spokenTo({ stt_backend: name })
  await fake.say('ada', '', voice)
  await gateway.idle()
  expect(service.requests.map((request) => request.path)).toEqual([path])
  expect(asked()).toContain('[Spoken] Hello there.')
})

test('a backend that is named and cannot transcribe is not replaced by another one, which may want to be paid', async () => {
  const { fake, gateway, service, asked, kernel } = await spokenTo({ stt_backend: 'whisper' })
  expect(kernel.all(SpeechBackends).get('whisper')).toBeDefined()
  await fake.say('ada', '', voice)
  await gateway.idle()
  expect(service.requests).toEqual([])
  expect(asked()).toMatch(/The user sent the file voice\.ogg, .* it was not transcribed: whisper /)
})

test('a voice message is counted for its conversation', async () => {
  const { fake, gateway, kernel } = await spokenTo({ stt_backend: 'openai' })
  await fake.say('ada', '', voice)
  await gateway.idle()
  const { out } = await kernel.run(['usage', '--by', 'model', '--json'])
  expect(out).toContain('gpt-4o-mini-transcribe')
})

test('a cap that is used up stops the transcription before it is paid, and the model is told why', async () => {
  const { fake, gateway, service, said } = await spokenTo({ stt_backend: 'openai' }, { budget: EVERYTHING_SPENT }, [])
  await fake.say('ada', '', voice)
  await gateway.idle()
  await fake.say('ada', '', voice)
  await gateway.idle()
  expect(service.requests.length).toBeLessThanOrEqual(1)
  expect(said().join('\n')).toMatch(/of 1 tokens/)
})

test('a service that fails leaves the file, with the reason', async () => {
  const { fake, gateway, service, asked } = await spokenTo({ stt_backend: 'openai' })
  service.fault = { status: 500, body: '' }
  await fake.say('ada', '', voice)
  await gateway.idle()
  expect(asked()).toMatch(/voice\.ogg, .* it was not transcribed: .*has a fault/)
})
