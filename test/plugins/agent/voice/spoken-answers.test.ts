/** Answers of a chat that are spoken: when, in which form, once, and what is said when they cannot be. */
import { randomUUID } from 'node:crypto'
import { deliveryBusy } from 'svc/sdk/platform'
import { expect, onTestFinished, test } from 'vitest'
import { mp3, ogg } from '../../../support/pictures.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { startWebFake, type WebAnswer, type WebRequest } from '../../../support/web-fake.ts'
import { stage } from '../../messaging/gateway/stage.ts'
import { speaking } from '../../tools/tool-speech/speech-stage.ts'

const KEY = 'sk-0123456789abcdef0123'
const FILES = 1_000_000
const spokenQuestion = { files: [{ name: 'voice.ogg', mediaType: 'audio/ogg', ref: 'voice', isVoice: true as const }] }

interface Talk {
  readonly answers?: readonly string[]
  readonly limits?: NonNullable<NonNullable<Parameters<typeof stage>[1]>['platform']>['limits']
  readonly reply?: (request: WebRequest) => WebAnswer
  readonly config?: Record<string, unknown>
  readonly env?: Record<string, string>
  readonly home?: string
}

/** A chat with voice messages, next to a service that speaks and listens. */
async function open({ answers = ['It is **fine**.'], limits, reply = speaking, config = {}, env, home }: Talk = {}) {
  const service = await startWebFake(reply)
  onTestFinished(() => service.close())
  const chat = await stage([...answers], {
    plugins: ['voice', 'tool-speech', 'budgets'],
    platform: { fetch: async () => ogg(), limits: { files: FILES, voice: ['opus', 'mp3'], ...limits } },
    env: { PATH: '/nowhere', OPENAI_API_KEY: KEY, ...env },
    config: { speech: { openai: { base_url: `${service.url}/v1` } }, ...config },
    ...(home !== undefined && { home }),
  })
  const say = async (text: string, where = {}) => {
    // A service never uses an id again, also where the platform in memory was begun again.
    await chat.fake.say('ada', text, { messageId: randomUUID(), ...where })
    await chat.gateway.idle()
  }
  const spoken = () => service.requests.filter(({ path }) => path.endsWith('/audio/speech'))
  const voices = () => chat.fake.sent.filter(({ files = [] }) => files.some(({ isVoice }) => isVoice))
  return { ...chat, service, say, spoken, voices }
}

test('with /voice on an answer is followed by a voice message, in the form that the platform has, without marks', async () => {
  const { say, said, spoken, voices, fake } = await open()
  await say('/voice on')
  expect(said()).toEqual([expect.stringContaining('Every answer here is also spoken')])
  await say('how is it?')
  expect(said().slice(1)).toEqual(['It is fine.', ''])
  expect(voices()).toHaveLength(1)
  expect(voices()[0]?.files).toMatchObject([
    { name: 'voice.ogg', mediaType: 'audio/ogg', kind: 'audio', size: ogg().length },
  ])
  expect(JSON.parse(spoken()[0]?.body ?? '')).toMatchObject({ input: 'It is fine.', response_format: 'opus' })
  expect(fake.sent.at(-2)?.files ?? []).toEqual([])
})

test('with /voice auto only an answer to a voice message is spoken', async () => {
  const { say, voices, spoken } = await open({ answers: ['one', 'two'] })
  await say('/voice auto')
  await say('typed')
  expect(spoken()).toEqual([])
  await say('', spokenQuestion)
  expect(voices()).toHaveLength(1)
  expect(JSON.parse(spoken()[0]?.body ?? '')).toMatchObject({ input: 'two' })
})

test('nothing is spoken until it is asked for, and nothing after /voice off', async () => {
  const { say, spoken, said } = await open({ answers: ['one', 'two', 'three'] })
  await say('', spokenQuestion)
  await say('/voice on')
  await say('/voice off')
  await say('', spokenQuestion)
  expect(spoken()).toEqual([])
  await say('/voice loud')
  expect(said().at(-1)).toContain('Not "loud"')
})

test('a chat keeps its mode after a restart, and another chat has its own', async () => {
  const home = temporaryFolder()
  const first = await open({ home })
  await first.say('/voice on')
  await first.kernel.stop()
  const second = await open({ home, answers: ['one', 'two'] })
  await second.say('/voice')
  expect(second.said().at(-1)).toContain('Every answer here is also spoken')
  await second.fake.say('bob', '/voice status', { messageId: randomUUID() })
  await second.gateway.idle()
  expect(second.said().at(-1)).toContain('Answers are not spoken here')
  await second.say('hello')
  expect(second.voices()).toHaveLength(1)
})

test('voice.chats holds where /voice was not used', async () => {
  const { say, voices } = await open({ config: { voice: { chats: 'on' } } })
  await say('hello')
  expect(voices()).toHaveLength(1)
})

test.for<readonly [string, Partial<Talk>, RegExp]>([
  ['a service that fails', { reply: () => ({ status: 500, body: '' }) }, /could not be spoken: .*has a fault/],
  ['no service at all', { env: { OPENAI_API_KEY: '' } }, /could not be spoken: .*openai needs OPENAI_API_KEY/],
  [
    'a cap that is used up',
    { config: { budget: { account: { day: { tokens: 3 } } } } },
    /could not be spoken: .*tokens/,
  ],
])('%s leaves the answer, and the chat is told why it cannot be heard', async ([, options, reason]) => {
  const { say, said, voices } = await open({ ...options, config: { voice: { chats: 'on' }, ...options.config } })
  await say('hello')
  expect(said()[0]).toBe('It is fine.')
  expect(said().slice(1)).toEqual([expect.stringMatching(reason)])
  expect(voices()).toEqual([])
})

test('only the beginning of a long answer is paid for', async () => {
  const long = 'It rains in the mountains. '.repeat(20)
  const { say, spoken, said } = await open({
    answers: [long],
    config: { voice: { chats: 'on', max_reply_characters: 60 } },
  })
  await say('weather?')
  expect(JSON.parse(spoken()[0]?.body ?? '').input).toBe('It rains in the mountains. It rains in the mountains.')
  expect(said()[0]).toContain('It rains in the mountains. '.repeat(19))
})

test('an answer of code alone is not spoken, and one that is a failure is not either', async () => {
  const { say, spoken } = await open({ answers: ['```\nlet a = 1\n```'], config: { voice: { chats: 'on' } } })
  await say('code?')
  await say('again?')
  expect(spoken()).toEqual([])
})

test('where no files are taken /voice says so and no sound is made', async () => {
  const { say, said, spoken } = await open({
    limits: { files: undefined as never },
    config: { voice: { chats: 'on' } },
  })
  await say('hello')
  await say('/voice on')
  expect(said()).toEqual(['It is fine.', expect.stringContaining('takes no sounds')])
  expect(spoken()).toEqual([])
})

test('where there are no voice messages the sound is an MP3', async () => {
  const { say, fake } = await open({ limits: { voice: undefined as never }, config: { voice: { chats: 'on' } } })
  await say('hello')
  expect(fake.sent.at(-1)?.files).toMatchObject([{ name: 'voice.mp3', mediaType: 'audio/mpeg', size: mp3().length }])
})

test('a sound that was refused in passing is sent again and not made again', async () => {
  const { say, spoken, voices, fake, outbox } = await open({ config: { voice: { chats: 'on' } } })
  const busy = () => deliveryBusy('FAKE_BUSY', 'too much', { retryAfterMs: 1 })
  await fake.say('ada', 'hello')
  await fake.next()
  fake.failSends(busy(), busy())
  await expect.poll(() => voices().length, { timeout: 15_000 }).toBe(1)
  await outbox.idle()
  expect(spoken()).toHaveLength(1)
  await say('/voice status')
  expect(voices()).toHaveLength(1)
})

test('a gateway that stops while an answer is being spoken speaks it after its next start, once', async () => {
  const home = temporaryFolder()
  const config = { voice: { chats: 'on' } }
  const first = await open({ home, config })
  first.service.fault = 'stall'
  await first.fake.say('ada', 'hello')
  await first.service.stalled
  await first.kernel.stop()
  expect(first.said()).toEqual(['It is fine.'])
  const second = await open({ home, config, answers: [] })
  await second.gateway.idle()
  await expect.poll(() => second.voices().length, { timeout: 15_000 }).toBe(1)
  expect(second.said()).toEqual([''])
  expect(JSON.parse(second.spoken()[0]?.body ?? '').input).toBe('It is fine.')
  await second.kernel.stop()
  const third = await open({ home, config, answers: [] })
  await third.gateway.idle()
  expect([third.said(), third.spoken()]).toEqual([[], []])
})
