/** Speech for the dashboard: a recording as text, a text as sound, the voices of an account. */
import { expect, onTestFinished, test } from 'vitest'
import { wav } from '../../../support/pictures.ts'
import { startWebFake, type WebAnswer, type WebRequest } from '../../../support/web-fake.ts'
import { openDashboard } from '../../dashboard/dashboard/desk.ts'
import { KEY, speaking } from './speech-stage.ts'

const VOICES = {
  voices: [
    { voice_id: 'v1', name: 'Otto', category: 'premade', more: 1 },
    { voice_id: 'v2', name: 'Ada' },
  ],
}

async function open(speech: (url: string) => object, reply: (request: WebRequest) => WebAnswer = speaking) {
  const fake = await startWebFake(reply)
  onTestFinished(() => fake.close())
  const env = { PATH: '/nowhere', ELEVENLABS_API_KEY: KEY }
  const desk = await openDashboard({ plugins: ['tool-speech'], env, config: { speech: speech(fake.url) } })
  return { ...desk, fake }
}
const custom = (url: string) => ({
  ...{ stt_backend: 'custom', tts_backend: 'custom', max_characters: 100 },
  custom: { base_url: url, stt_model: 'whisper-1', tts_model: 'speaks', voice: 'otto' },
})
const RECORDING = `data:audio/wav;base64,${Buffer.from(wav([1, 2])).toString('base64')}`

test('a recording is transcribed, and other data is refused before a service is called', async () => {
  const { ask, fake } = await open(custom)
  const hear = (url: string) => ask('POST', '/api/audio/transcribe', { body: { data_url: url } })
  expect((await hear(RECORDING)).json).toEqual({ ok: true, transcript: 'Hello there.', provider: 'custom' })
  expect((await hear('https://example.com/a.wav')).status).toBe(400)
  expect((await hear(RECORDING.replace('audio/wav', 'text/html'))).status).toBe(400)
  expect((await hear(`data:audio/wav;base64,${Buffer.from('no sound').toString('base64')}`)).status).toBe(400)
  expect((await hear(`data:audio/wav;base64,${'A'.repeat(34_000_000)}`)).status).toBe(413)
  expect(fake.requests).toHaveLength(1)
})

test('a text becomes sound, within the limit of the settings', async () => {
  const { ask, fake } = await open(custom)
  const { json } = await ask('POST', '/api/audio/speak', { body: { text: 'Otters hold hands.' } })
  expect(json).toMatchObject({ ok: true, mime_type: 'audio/mpeg', provider: 'custom' })
  expect(json.data_url).toMatch(/^data:audio\/mpeg;base64,.{8}/)
  expect((await ask('POST', '/api/audio/speak', { body: { text: 'x'.repeat(101) } })).status).toBe(413)
  expect(fake.requests).toHaveLength(1)
})

test('without a backend both say what is missing', async () => {
  const { ask } = await open(() => ({ stt_backend: 'openai', tts_backend: 'openai' }))
  const hear = await ask('POST', '/api/audio/transcribe', { body: { data_url: RECORDING } })
  const speak = await ask('POST', '/api/audio/speak', { body: { text: 'Hi' } })
  for (const { status, text } of [hear, speak])
    expect([status, text]).toEqual([503, expect.stringContaining('OPENAI_API_KEY')])
})

test('the status names who does what, and what is missing, without calling a service', async () => {
  const { ask, fake } = await open((url) => ({ ...custom(url), stt_backend: 'openai' }))
  expect((await ask('GET', '/api/audio/status')).json).toEqual({
    speak: { provider: 'custom', missing: null },
    transcribe: { provider: null, missing: expect.stringContaining('OPENAI_API_KEY') },
  })
  expect(fake.requests).toHaveLength(0)
})

test('the voices of ElevenLabs are those of the account, and another host does not get the key', async () => {
  const voices = '/api/audio/elevenlabs/voices'
  const reply = ({ path, headers }: WebRequest): WebAnswer =>
    path === '/v1/voices' && headers['xi-api-key'] === KEY
      ? { body: JSON.stringify(VOICES) }
      : { status: 401, body: '{}' }
  const own = await open((url) => ({ elevenlabs: { base_url: `${url}/v1` } }), reply)
  expect((await own.ask('GET', voices)).json).toEqual({
    available: true,
    voices: [
      { id: 'v1', name: 'Otto', category: 'premade' },
      { id: 'v2', name: 'Ada', category: '' },
    ],
  })
  const other = await open(() => ({ elevenlabs: { base_url: 'https://example.com/v1' } }))
  expect((await other.ask('GET', voices)).json).toMatchObject({
    available: false,
    voices: [],
    error: expect.any(String),
  })
})
