import { SpeechBackends } from 'svc/sdk/media'
import { deliveryBusy } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ogg } from '../../../support/pictures.ts'
import { startWebFake } from '../../../support/web-fake.ts'
import { speaking } from '../../tools/tool-speech/speech-stage.ts'
import { stage } from './stage.ts'

const KEY = 'sk-0123456789abcdef0123'
const voice = { files: [{ name: 'voice.ogg', mediaType: 'audio/ogg', ref: 'voice', isVoice: true as const }] }
/** A transcription of OpenAI is estimated at one token in and one out for a note as short as this. */
const EVERYTHING_SPENT = { account: { day: { tokens: 1 } } }

/** A chat whose voice messages a service can transcribe that does not exist outside of this machine. */
async function spokenTo(
  speech: object,
  config: Record<string, unknown> = {},
  answers: string[] = ['I heard you.'],
  limits: { readonly transcripts?: boolean } = {},
) {
  const service = await startWebFake(speaking)
  onTestFinished(() => service.close())
  const told = await stage(answers, {
    plugins: ['tool-speech', 'budgets', 'display'],
    platform: { fetch: async () => ogg(), limits },
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

const HEARD = '🎤 I understood:\n\n> Hello there.'

test('the chat is shown what was understood of a voice message, before the answer', async () => {
  const { fake, gateway, said } = await spokenTo({ stt_backend: 'openai' })
  await fake.say('ada', '', voice)
  await gateway.idle()
  expect(said()).toEqual([HEARD, 'I heard you.'])
})

test('in a group what was understood is an answer to the voice message, also where several came together', async () => {
  const { fake, gateway } = await spokenTo({ stt_backend: 'openai' })
  const where = { chatId: 'lab', chatKind: 'group' as const, isMention: true }
  const [one, two] = [
    await fake.say('ada', '', { ...voice, ...where, messageId: 'v1' }),
    await fake.say('ada', 'and', { ...voice, ...where, messageId: 'v2' }),
  ]
  expect([one.outcome, two.outcome]).toEqual(['taken', 'taken'])
  await gateway.idle()
  const heard = fake.sent.filter(({ text }) => text === HEARD)
  expect(heard.map(({ replyTo }) => replyTo)).toEqual(['v1', 'v2'])
})

test('what was understood is quoted as it is, a little of it, and without what is secret', async () => {
  const { fake, gateway, said, service } = await spokenTo({ stt_backend: 'openai' })
  service.fault = {
    status: 200,
    body: JSON.stringify({ text: `*no* [mark](https://x.example)\n> ${KEY} ${'word '.repeat(200)}` }),
  }
  await fake.say('ada', '', voice)
  await gateway.idle()
  const [heard = ''] = said()
  expect(heard).toMatch(/^🎤 I understood:\n\n> \\?\*no\\?\* \\?\[mark\\?\]/)
  expect(heard).not.toContain(KEY)
  expect(heard).toMatch(/ word w?o?r?d?…$/)
  expect(heard.length).toBeLessThan(700)
  expect(
    heard
      .split('\n')
      .slice(2)
      .every((line) => line.startsWith('> ')),
  ).toBe(true)
})

test.for([
  ['display.transcripts is off', { display: { transcripts: false } }, {}],
  ['it is off for the platform', { display: { platforms: { fake: { transcripts: false } } } }, {}],
  ['the platform takes one answer', {}, { transcripts: false }],
] as const)('nothing is shown where %s', async ([, config, limits]) => {
  const { fake, gateway, said, asked } = await spokenTo({ stt_backend: 'openai' }, config, undefined, limits)
  await fake.say('ada', '', voice)
  await gateway.idle()
  expect(said()).toEqual(['I heard you.'])
  expect(asked()).toContain('[Spoken] Hello there.')
})

test('it is shown where the platform takes one answer if display says so', async () => {
  const config = { display: { platforms: { fake: { transcripts: true } } } }
  const { fake, gateway, said } = await spokenTo({ stt_backend: 'openai' }, config, undefined, { transcripts: false })
  await fake.say('ada', '', voice)
  await gateway.idle()
  expect(said()).toEqual([HEARD, 'I heard you.'])
})

test('speech that the service has transcribed is neither fetched nor paid, and shown like any other', async () => {
  const { fake, gateway, said, asked, service } = await spokenTo({ stt_backend: 'openai' })
  const files = voice.files.map((file) => ({ ...file, isTranscribed: true as const }))
  await fake.say('ada', 'Hello there.', { files })
  await gateway.idle()
  expect(service.requests).toEqual([])
  expect(said()).toEqual([HEARD, 'I heard you.'])
  expect(asked()).toMatch(/^Hello there\.$/)
})

test('nothing is shown of a recording without words, or of one that was not transcribed', async () => {
  const { fake, gateway, said, service } = await spokenTo({ stt_backend: 'openai' }, {}, ['one', 'two'])
  service.fault = { status: 200, body: JSON.stringify({ text: ' ' }) }
  await fake.say('ada', '', voice)
  await gateway.idle()
  service.fault = { status: 500, body: '' }
  await fake.say('ada', '', voice)
  await gateway.idle()
  expect(said()).toEqual(['one', 'two'])
})

test('a file of a message that is read before its platform is connected again is waited for, and given up after two minutes', async () => {
  const clock = virtualClock()
  let failures = 3
  const busy = () => deliveryBusy('TEST', 'The platform is not connected.')
  const fetch = async () => {
    if (failures-- > 0) throw busy()
    return Buffer.from('a note')
  }
  const { fake, gateway, model, said } = await stage(['one', 'two'], { clock, platform: { fetch } })
  const note = { files: [{ name: 'note.txt', mediaType: 'text/plain', ref: 'note' }] }
  await fake.say('ada', 'read this', note)
  await vi.waitFor(async () => {
    await clock.advance(500)
    expect(said()).toEqual(['one'])
  })
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('a note')
  failures = Number.POSITIVE_INFINITY
  await fake.say('ada', 'and this', note)
  await vi.waitFor(async () => {
    await clock.advance(10_000)
    expect(said()).toHaveLength(3)
  })
  await gateway.idle()
  expect(said()[1]).toBe('📎 note.txt was rejected: The platform is not connected.')
})
