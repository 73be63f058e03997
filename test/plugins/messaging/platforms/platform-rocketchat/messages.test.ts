/** Stories of people who write on a Rocket.Chat server, and of what svc writes there. */
import fc from 'fast-check'
import { errorCode } from 'svc/sdk'
import { classifyDeliveryError, type OutboundMessage, type Platform } from 'svc/sdk/platform'
import { outboundFile } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { markup } from '../../../../../plugins/messaging/platforms/platform-rocketchat/markup.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-rocketchat/stand-in/service.ts'
import { wordsOfRocketChat } from '../../../../../plugins/messaging/platforms/platform-rocketchat/stand-in/words.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected, home } = createStages('rocketchat', openStandIn)

const failing = (work: Promise<unknown> | undefined) =>
  Promise.resolve(work).then(
    () => undefined,
    (error: unknown) => error,
  )

describe('messages that come in', () => {
  test('a direct message has its person and its time; people who write together are a group', async () => {
    const { fake, ear } = await connected()
    const ada = fake.member({ userId: 'ada' })
    const messageId = await ada.say('hello')
    await fake.gather(['bob', 'eve']).say('both of us')
    await expect.poll(() => ear.received.length).toBe(2)
    const { chatId, userId } = ada
    expect(ear.received).toMatchObject([
      { chatId, userId, messageId, text: 'hello', chatKind: 'dm', userName: 'ada' },
      { text: 'both of us', chatKind: 'group' },
    ])
    for (const name of ['threadId', 'isBot', 'isMention', 'quote', 'files'] as const)
      expect(ear.received[0]?.[name]).toBeUndefined()
  })

  test('in a channel the agent is addressed by its name, and by an answer in a thread that it began', async () => {
    const { fake, platform, ear } = await connected()
    const ada = fake.member({ group: 'lab' })
    const other = await ada.say('among us')
    await ada.say('/help me', { mention: true })
    const { messageId } = await platform.send({ chatId: ada.chatId, text: 'asked', key: 'k' })
    await ada.say('yes', { threadId: messageId })
    await ada.say('no', { threadId: other })
    await ada.say('gone', { threadId: 'goneGoneGoneGone1' })
    await expect.poll(() => ear.texts).toEqual(['among us', '/help me', 'yes', 'no', 'gone'])
    expect(ear.received.map(({ isMention, threadId }) => [isMention, threadId])).toEqual([
      [undefined, undefined],
      [true, undefined],
      [true, messageId],
      [undefined, other],
      [undefined, 'goneGoneGoneGone1'],
    ])
    expect(ear.received[0]).toMatchObject({ chatKind: 'channel', chatName: 'lab' })
    await platform.send({ chatId: ada.chatId, threadId: messageId, text: 'fine', key: 'k2' })
    expect(fake.deliveries().at(-1)).toMatchObject({ threadId: messageId, visible: 'fine' })
  })

  test('own words, changes, notices, and what comes twice are not handed over; other programs are known as such', async () => {
    const { fake, platform, ear } = await connected()
    const ada = fake.member()
    const { messageId } = await platform.send({ chatId: ada.chatId, text: 'mine', key: 'k' })
    await platform.edit?.({ chatId: ada.chatId, messageId, text: 'changed', isFinal: true })
    fake.disturb('twice')
    const once = await ada.say('once')
    await ada.say('once', { messageId: once })
    const joined = {
      _id: 'x',
      rid: ada.chatId,
      msg: 'ada',
      t: 'uj',
      u: { _id: ada.userId },
      ts: { $date: Date.now() },
    }
    const tell = (args: unknown) =>
      fake.tell({ msg: 'changed', collection: 'stream-room-messages', fields: { args: [args] } })
    tell(joined)
    tell({ _id: 7 })
    fake.tell({ msg: 'changed', collection: 'stream-room-messages' })
    await fake.addBot('weather').say('rain')
    await expect.poll(() => ear.texts).toEqual(['once', 'rain'])
    expect(ear.received.map(({ isBot }) => isBot)).toEqual([undefined, true])
  })

  test('a file is fetched within the limit, from the server only', async () => {
    const { fake, platform, ear } = await connected()
    const bytes = new Uint8Array(1000).fill(7)
    await fake.member().say('', { files: [{ name: 'größer 1.bin', mediaType: 'application/x-test', bytes }] })
    await expect.poll(() => ear.received).toMatchObject([{ files: [{ name: 'größer 1.bin', size: 1000 }] }])
    const [file] = ear.received[0]?.files ?? []
    if (!file) throw new Error('no file came')
    const { signal } = new AbortController()
    expect(new Uint8Array((await platform.fetch?.(file, { maxBytes: 1000, signal })) ?? [])).toEqual(bytes)
    expect(errorCode(await failing(platform.fetch?.(file, { maxBytes: 999, signal })))).toBe('PLATFORM_FILE_LARGE')
    const strange = { ...file, ref: '.evil.example/x' }
    expect(errorCode(await failing(platform.fetch?.(strange, { maxBytes: 0, signal })))).toBe('PLATFORM_MEDIA')
  })
})

describe('messages that go out', () => {
  /** Sends as the outbox does; resolves with the message as it is looked for. */
  async function lose(platform: Platform, message: OutboundMessage): Promise<OutboundMessage> {
    let note: string | undefined
    const writeNote = (text: string) => {
      note = text
    }
    expect(classifyDeliveryError(await failing(platform.send({ ...message, writeNote }))).kind).toBe('unsure')
    return { ...message, ...(note !== undefined && { note }) }
  }

  test('a message whose answer was lost is found by its key after a restart, one with a file by its note', async () => {
    const { fake, platform, close, restart } = await home()
    const { chatId } = fake.member({ group: 'lab' })
    fake.failSends('unanswered', 2)
    const words = await lose(platform, { chatId, text: 'once', key: 'k1' })
    const file = await lose(platform, { chatId, text: 'see', key: 'k2', files: [outboundFile('a.txt', 'a')] })
    fake.failSends('lost', 2)
    const neither = await lose(platform, { chatId, text: 'once', key: 'k3' })
    const gone = await lose(platform, { chatId, text: 'see', key: 'k4', files: [outboundFile('a.txt', 'a')] })
    await close()
    const next = await restart()
    const [one, two] = fake.deliveries().map(({ messageId }) => messageId)
    expect(await next.platform.find?.(words)).toMatchObject({ messageId: one })
    expect(await next.platform.find?.(file)).toMatchObject({ messageId: two })
    expect(await next.platform.find?.(neither)).toBeUndefined()
    expect(await next.platform.find?.(gone)).toBeUndefined()
  })

  test.for([
    ['busy', { kind: 'busy', retryAfterMs: 1000 }],
    ['unavailable', { kind: 'busy' }],
    ['forbidden', { kind: 'refused' }],
    ['lost', { kind: 'unsure' }],
    ['unanswered', { kind: 'unsure' }],
  ] as const)('a message to Rocket.Chat that meets %s fails with what is certain of it', async ([fault, failure]) => {
    const { platform, fake } = await connected()
    const { chatId } = fake.member()
    fake.failSends(fault)
    expect(classifyDeliveryError(await failing(platform.send({ chatId, text: 'hi', key: 'k' })))).toEqual(failure)
    expect(fake.deliveries()).toHaveLength(fault === 'unanswered' ? 1 : 0)
  })

  test('what the server refuses is told in its words; what is no room is not asked for', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member()
    for (const [message, words] of [
      [{ chatId, text: ' \n\t ' }, 'empty'],
      [{ chatId, text: 'x', threadId: 'none' }, 'error-invalid-thread'],
      [{ chatId: 'nowhere', text: 'x' }, 'error-invalid-room'],
      [{ chatId: '../x', text: 'x' }, 'no id of a room'],
    ] as const) {
      const failure = await failing(platform.send({ ...message, key: words }))
      expect(classifyDeliveryError(failure).kind).toBe('refused')
      expect(String(failure)).toContain(words)
    }
    expect(errorCode(await failing(platform.send({ chatId, text: 'x'.repeat(5001), key: 'k' })))).toBe(
      'PLATFORM_TOO_LONG',
    )
  })

  test('typing is shown in the room or the thread', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member()
    await platform.typing?.(chatId)
    await platform.typing?.(chatId, 't1')
    await expect
      .poll(() => fake.calls.filter(({ method }) => method !== 'login'))
      .toEqual([
        { method: 'stream-notify-room', params: [`${chatId}/user-activity`, 'svc.bot', ['user-typing'], {}] },
        {
          method: 'stream-notify-room',
          params: [`${chatId}/user-activity`, 'svc.bot', ['user-typing'], { tmid: 't1' }],
        },
      ])
  })
})

describe('markup for Rocket.Chat', () => {
  const plain = (text: string) => markup.escape?.(text) ?? text

  test('whatever is written in a message, people see the same words', () => {
    const written = fc.string({ unit: fc.constantFrom(...'ab *_~`|<>[]()#-+\\.@!1&;:=\n'), maxLength: 40 })
    // Four blanks would begin a block of code: no line of a message begins so.
    const words = written.map((text) => text.replace(/ {4,}/g, '   '))
    fc.assert(fc.property(words, (text) => void expect(wordsOfRocketChat(plain(text))).toBe(text)))
  })

  test.each(['@all', '@here, look', ':smile:'])('%s means nothing, and reads the same', (text) => {
    expect(plain(text)).not.toContain(text.slice(0, 4))
    expect(wordsOfRocketChat(plain(text))).toBe(text)
  })
})
