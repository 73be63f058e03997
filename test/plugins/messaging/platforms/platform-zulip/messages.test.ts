/** Stories of people who write in a Zulip organization, and of what svc writes there. */
import { errorCode } from 'svc/sdk'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { outboundFile } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-zulip/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected } = createStages('zulip', openStandIn)

const failing = (work: Promise<unknown> | undefined) =>
  Promise.resolve(work).then(
    () => undefined,
    (error: unknown) => error,
  )

describe('messages that come in', () => {
  test('a direct message has its person and its time, and no thread', async () => {
    const { fake, ear } = await connected()
    const ada = fake.member({ userId: 'ada' })
    const messageId = await ada.say('hello')
    await expect.poll(() => ear.received.length).toBe(1)
    const { chatId, userId } = ada
    expect(ear.received[0]).toMatchObject({ chatId, userId, messageId, text: 'hello', chatKind: 'dm', userName: 'ada' })
    expect(Math.abs((ear.received[0]?.at ?? 0) - Date.now())).toBeLessThan(60_000)
    for (const name of ['threadId', 'isBot', 'isMention', 'quote', 'files'] as const)
      expect(ear.received[0]?.[name]).toBeUndefined()
  })

  test('people who write together are a group, whose answers all of them get', async () => {
    const { fake, platform, ear } = await connected()
    const ada = fake.gather(['ada', 'bob'])
    await ada.say('both of us')
    await ada.say('and you', { mention: true })
    await expect.poll(() => ear.texts).toEqual(['both of us', 'and you'])
    expect(ear.received.map(({ chatKind, isMention }) => [chatKind, isMention])).toEqual([
      ['group', undefined],
      ['group', true],
    ])
    expect(ear.received[0]?.chatId).toMatch(/^dm:\d+,\d+$/)
    await platform.send({ chatId: ada.chatId, text: 'hello, you two', key: 'k' })
    expect(fake.deliveries()).toMatchObject([{ chatId: ada.chatId, visible: 'hello, you two' }])
  })

  test('a topic of a channel is a thread, in which answers stay', async () => {
    const { fake, platform, ear } = await connected()
    const ada = fake.member({ group: 'lab' })
    await ada.say('what is new?', { mention: true, threadId: 'Café & bar' })
    await expect.poll(() => ear.received.length).toBe(1)
    expect(ear.received[0]).toMatchObject({
      ...{ chatKind: 'channel', chatName: 'lab', threadId: 'Café & bar', text: 'what is new?', isMention: true },
    })
    const { chatId } = ada
    await platform.send({ chatId, threadId: 'Café & bar', text: 'nothing', key: 'k' })
    await platform.send({ chatId, text: 'of its own accord', key: 'k2' })
    expect(fake.deliveries()).toMatchObject([
      { chatId, threadId: 'Café & bar', visible: 'nothing' },
      { chatId, threadId: 'svc', visible: 'of its own accord' },
    ])
  })

  test('the topic of messages that answer nothing can be chosen', async () => {
    const { fake, platform } = await connected({ config: { topic: 'robots' } })
    const { chatId } = fake.member({ group: 'lab' })
    await platform.send({ chatId, text: 'beep', key: 'k' })
    expect(fake.deliveries()).toMatchObject([{ threadId: 'robots' }])
  })

  test.each([
    ['@**svc (bot)**: /help me', '/help me', ['mentioned'], true],
    ['@**svc (bot)|101** hi', 'hi', ['read', 'mentioned'], true],
    ['@**An older name|101** hi', 'hi', ['mentioned'], true],
    ['thanks @**svc (bot)**', 'thanks @**svc (bot)**', ['mentioned'], true],
    ['@**all** hi', '@**all** hi', ['stream_wildcard_mentioned'], undefined],
    ['@**ada|7** hi', '@**ada|7** hi', [], undefined],
    ['@_**svc (bot)** said so', '@_**svc (bot)** said so', [], undefined],
  ])('in a channel "%s" reads "%s"', async (content, text, flags, isMention) => {
    const { fake, ear } = await connected()
    const { userId } = fake.member({ group: 'lab' })
    const place = { type: 'stream', stream_id: 5, subject: 'x', display_recipient: 'lab' }
    const message = { ...place, id: 9000, sender_id: Number(userId), sender_full_name: 'Ada', timestamp: 1, content }
    fake.tell({ type: 'message', message, flags })
    await expect.poll(() => ear.received).toMatchObject([{ text }])
    expect(ear.received[0]?.isMention).toBe(isMention)
  })

  test('who quotes the agent addresses it, who quotes another does not; the quoted words are kept apart', async () => {
    const { fake, platform, ear } = await connected()
    const ada = fake.member({ group: 'lab' })
    const { messageId } = await platform.send({ chatId: ada.chatId, text: 'two `lines`\nof mine', key: 'k' })
    const own = await ada.say('my own words')
    await ada.say('really?', { quote: messageId })
    await ada.say('indeed', { quote: own })
    await expect.poll(() => ear.texts).toEqual(['my own words', 'really?', 'indeed'])
    expect(ear.received.slice(1)).toMatchObject([
      { quote: { messageId, text: 'two `lines`\nof mine' }, isMention: true },
      { quote: { messageId: own, text: 'my own words' } },
    ])
    expect(ear.received[2]?.isMention).toBeUndefined()
  })

  test('its own words are not handed over, other bots and senders that the server does not show are bots', async () => {
    const { fake, platform, ear } = await connected()
    const ada = fake.member()
    await platform.send({ chatId: ada.chatId, text: 'mine', key: 'k' })
    await fake.addBot('weather').say('rain')
    const place = { type: 'private', display_recipient: [{ id: 3 }], timestamp: Math.floor(Date.now() / 1000) }
    fake.tell({ type: 'message', message: { ...place, id: 9000, sender_id: 3, content: 'boo' }, flags: [] })
    await ada.say('hello')
    await ada.say('again')
    await expect.poll(() => ear.texts).toEqual(['rain', 'boo', 'hello', 'again'])
    expect(ear.received.map(({ isBot }) => isBot)).toEqual([true, true, undefined, undefined])
    const looks = fake.requests.filter((call) => call === `GET /users/${ada.userId}`)
    expect(looks).toHaveLength(1)
  })

  test('an event that is no message, or no whole one, is passed over', async () => {
    const { fake, ear } = await connected()
    fake.tell({ type: 'message', message: { id: 'seven' } })
    fake.tell({ type: 'message' })
    fake.tell({ type: 'realm', op: 'update' })
    await fake.member().say('whole')
    await expect.poll(() => ear.texts).toEqual(['whole'])
    expect(ear.losses).toEqual([])
  })

  test('a message that is delivered twice is handed over once, one that is overtaken still', async () => {
    const { fake, ear } = await connected()
    const ada = fake.member()
    fake.disturb('twice')
    await ada.say('once')
    fake.disturb('late')
    await ada.say('slow')
    await ada.say('quick')
    await expect.poll(() => ear.texts).toEqual(['once', 'quick', 'slow'])
  })
})

describe('files', () => {
  const bytes = new Uint8Array(1000).fill(7)

  test('a file of a message is fetched within the limit, and its link is no word', async () => {
    const { fake, platform, ear } = await connected()
    await fake.member().say('look', { files: [{ name: 'größer 1.bin', mediaType: 'application/x-test', bytes }] })
    await expect.poll(() => ear.received).toMatchObject([{ text: 'look', files: [{ name: 'größer 1.bin' }] }])
    const [file] = ear.received[0]?.files ?? []
    if (!file) throw new Error('no file came')
    const { signal } = new AbortController()
    expect(new Uint8Array((await platform.fetch?.(file, { maxBytes: 1000, signal })) ?? [])).toEqual(bytes)
    const large = await failing(platform.fetch?.(file, { maxBytes: 999, signal }))
    expect(errorCode(large)).toBe('PLATFORM_FILE_LARGE')
    const gone = await failing(platform.fetch?.({ ...file, ref: '/user_uploads/2/00/x/gone' }, { maxBytes: 0, signal }))
    expect(classifyDeliveryError(gone).kind).toBe('refused')
  })

  test('a file alone has no words, a file in a sentence has its name there', async () => {
    const { fake, ear } = await connected()
    const ada = fake.member()
    await ada.say('', { files: [{ name: 'a.bin', mediaType: '', bytes }] })
    await ada.say('read [the plan](/user_uploads/2/aa/plan.pdf) and [this](https://example.org/)')
    await expect.poll(() => ear.texts).toEqual(['', 'read the plan and [this](https://example.org/)'])
    expect(ear.received.map(({ files }) => files)).toMatchObject([
      [{ name: 'a.bin' }],
      [{ name: 'the plan', ref: '/user_uploads/2/aa/plan.pdf' }],
    ])
  })

  test.each([
    'https://evil.example/user_uploads/2/aa/plan.pdf',
    '//evil.example/user_uploads/2/aa/plan.pdf',
    '/user_uploads/2/../../api/v1/users/me',
    '/user_uploads/2/%2e%2e/%2e%2e/api/v1/users/me',
    '/api/v1/users/me',
  ])('%s is no file of this server', async (address) => {
    const { fake, ear } = await connected()
    await fake.member().say(`[x](${address})`)
    await expect.poll(() => ear.texts).toEqual([`[x](${address})`])
    expect(ear.received[0]?.files).toBeUndefined()
  })

  test('an address elsewhere that the server gives for a file is not asked', async () => {
    const { fake, platform } = await connected()
    const { signal } = new AbortController()
    const ref = '/user_uploads/2/aa/plan.pdf'
    for (const url of ['//evil.example/x', 'https://evil.example/x']) {
      fake.answerNext('GET /user_uploads', { body: { result: 'success', msg: '', url } })
      const failure = await failing(platform.fetch?.({ ref, name: 'x' }, { maxBytes: 0, signal }))
      expect(['PLATFORM_MEDIA', 'PLATFORM_UNREACHABLE']).toContain(errorCode(failure))
    }
  })

  test('files and words leave as one message; marks in a file name are not markup', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member()
    const files = [outboundFile('a [b].txt', 'one'), outboundFile('c.txt', 'two')]
    await platform.send({ chatId, text: 'both', key: 'k', files })
    expect(fake.deliveries()).toMatchObject([{ visible: 'both' }])
    expect(fake.deliveries()[0]?.files.map(({ bytes: each }) => Buffer.from(each).toString())).toEqual(['one', 'two'])
  })

  test('what would be cut with its files does not leave', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member()
    const long = { chatId, text: 'x'.repeat(9990), key: 'k', files: [outboundFile('a.txt', 'a')] }
    expect(errorCode(await failing(platform.send(long)))).toBe('PLATFORM_TOO_LONG')
    expect(fake.deliveries()).toEqual([])
  })
})

describe('messages that go out', () => {
  test('10,000 characters of any kind arrive whole, one more does not leave', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member()
    const text = '🎉'.repeat(10_000)
    await platform.send({ chatId, text, key: 'k' })
    expect(fake.deliveries()[0]?.raw).toBe(text)
    expect(errorCode(await failing(platform.send({ chatId, text: `${text}!`, key: 'k2' })))).toBe('PLATFORM_TOO_LONG')
  })

  test.for([
    ['busy', { kind: 'busy', retryAfterMs: 1000 }],
    ['unavailable', { kind: 'busy' }],
    ['forbidden', { kind: 'refused' }],
    ['lost', { kind: 'unsure' }],
    ['unanswered', { kind: 'unsure' }],
  ] as const)('a message to Zulip that meets %s fails with what is certain of it', async ([fault, failure]) => {
    const { platform, fake } = await connected()
    const { chatId } = fake.member()
    fake.failSends(fault)
    expect(classifyDeliveryError(await failing(platform.send({ chatId, text: 'hi', key: 'k' })))).toEqual(failure)
    expect(fake.deliveries()).toHaveLength(fault === 'unanswered' ? 1 : 0)
  })

  test('what the server refuses is told in its words', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member({ group: 'lab' })
    for (const [message, words] of [
      [{ chatId, text: ' \n\t ' }, 'empty'],
      [{ chatId, text: '@**all** look' }, 'STREAM_WILDCARD_MENTION_NOT_ALLOWED'],
      [{ chatId: 'channel:4', text: 'x' }, 'STREAM_DOES_NOT_EXIST'],
      [{ chatId: 'dm:4', text: 'x' }, 'Invalid user ID 4'],
    ] as const) {
      const failure = await failing(platform.send({ ...message, key: words }))
      expect(classifyDeliveryError(failure).kind).toBe('refused')
      expect(String(failure)).toContain(words)
    }
  })

  test.each(['', 'lab', 'channel:', 'channel:7,8', 'dm:', 'dm:x', 'dm:9,', '../7'])(
    '"%s" is no chat, and is not asked for',
    async (chatId) => {
      const { fake, platform } = await connected()
      const before = fake.requests.filter((call) => call.startsWith('POST /messages')).length
      const failure = await failing(platform.send({ chatId, text: 'x', key: 'k' }))
      expect(classifyDeliveryError(failure).kind).toBe('refused')
      expect(fake.requests.filter((call) => call.startsWith('POST /messages'))).toHaveLength(before)
    },
  )

  test('a message is changed, unless the server allows it no more', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member()
    const { messageId } = await platform.send({ chatId, text: 'draft', key: 'k' })
    await platform.edit?.({ chatId, messageId, text: 'final & *done*', isFinal: true })
    expect(fake.deliveries()).toMatchObject([{ visible: 'final & done', versions: ['draft', 'final & *done*'] }])
    const msg = 'The time limit for editing this message has passed'
    fake.answerNext(`PATCH /messages/${messageId}`, {
      status: 400,
      body: { result: 'error', msg, code: 'BAD_REQUEST' },
    })
    const failure = await failing(platform.edit?.({ chatId, messageId, text: 'too late', isFinal: true }))
    expect(classifyDeliveryError(failure).kind).toBe('refused')
    expect(String(failure)).toContain(msg)
    const strange = await failing(platform.edit?.({ chatId, messageId: '../users/me', text: 'x', isFinal: true }))
    expect(classifyDeliveryError(strange).kind).toBe('refused')
  })

  test('typing is shown to the people of a direct message, and in the topic of a channel', async () => {
    const { fake, platform } = await connected()
    const [ada, bob] = [fake.member(), fake.member({ group: 'lab' })]
    await platform.typing?.(ada.chatId)
    await platform.typing?.(bob.chatId, 'Café')
    expect(fake.typing).toEqual([
      { op: 'start', type: 'direct', to: `[${ada.userId}]` },
      { op: 'start', type: 'stream', stream_id: bob.chatId.replace('channel:', ''), topic: 'Café' },
    ])
  })

  test('a mark that is there already does not keep the one before', async () => {
    const { fake, platform } = await connected()
    const ada = fake.member()
    const messageId = await ada.say('hello')
    const react = (state: 'working' | 'done' | undefined, before: 'working' | undefined) =>
      platform.react?.({ chatId: ada.chatId, messageId, state, before })
    await react('working', undefined)
    await react('done', undefined)
    await react('done', 'working')
    await react('done', 'working')
    expect(fake.reactions?.()).toEqual([
      { messageId, emoji: 'eyes', isThere: true },
      { messageId, emoji: 'check', isThere: true },
      { messageId, emoji: 'eyes', isThere: false },
    ])
  })
})
