import fc from 'fast-check'
import { errorCode } from 'svc/sdk'
import { wordsOfMarkdown } from 'svc/sdk/kit/stand-in'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { outboundFile } from 'svc/sdk/testing'
import { describe, expect, test, vi } from 'vitest'
import { markup } from '../../../../../plugins/messaging/platforms/platform-mattermost/markup.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-mattermost/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected } = createStages('mattermost', openStandIn)

async function catchFailure(work: Promise<unknown>) {
  const failure: unknown = await work.then(
    () => 'it was sent',
    (error) => error,
  )
  expect(failure).toBeInstanceOf(Error)
  return classifyDeliveryError(failure)
}

describe('posts that come in', () => {
  test('a direct post has its person and its time, and no thread', async () => {
    const { fake, ear } = await connected()
    const ada = fake.member()
    const messageId = await ada.say('hello')
    await vi.waitFor(() => expect(ear.received).toHaveLength(1))
    expect(ear.received[0]).toMatchObject({
      ...{ chatId: ada.chatId, userId: ada.userId, messageId, text: 'hello', chatKind: 'dm', userName: 'someone' },
      ...{ isBot: false, isMention: false },
    })
    expect(ear.received[0]?.threadId).toBeUndefined()
  })

  test.each([
    ['@svc.bot: /help me', '/help me', true],
    ['please, @SVC.bot.', 'please, @SVC.bot.', true],
    ['@svc.bottle is another', '@svc.bottle is another', false],
    ['mail me@svc.bot', 'mail me@svc.bot', false],
    ['@svc.bot-two too', '@svc.bot-two too', false],
    ['@all and @channel', '@all and @channel', false],
  ])('in a channel "%s" reads "%s" and addresses the bot: %s', async (said, text, isMention) => {
    const { fake, ear } = await connected()
    await fake.member({ group: 'lab' }).say(said)
    await vi.waitFor(() => expect(ear.received).toMatchObject([{ text, isMention, chatKind: 'channel' }]))
  })

  test('an answer in a thread of the bot addresses it, one in another thread does not', async () => {
    const { fake, platform, ear } = await connected()
    const ada = fake.member({ group: 'lab' })
    const other = await ada.say('my own thread')
    const { messageId } = await platform.send({ chatId: ada.chatId, text: 'asked', key: 'k' })
    await ada.say('yes', { threadId: messageId })
    await ada.say('no', { threadId: other })
    await vi.waitFor(() => expect(ear.received).toHaveLength(3))
    expect(ear.received.slice(1)).toMatchObject([
      { text: 'yes', threadId: messageId, isMention: true, quote: { messageId } },
      { text: 'no', threadId: other, isMention: false },
    ])
    await platform.send({ chatId: ada.chatId, threadId: messageId, text: 'fine', key: 'k2' })
    expect(fake.deliveries().at(-1)).toMatchObject({ threadId: messageId, visible: 'fine' })
  })

  test('a thread that is gone is a thread of no one', async () => {
    const { fake, ear } = await connected()
    await fake.member({ group: 'lab' }).say('answering nothing', { threadId: 'gone' })
    await vi.waitFor(() => expect(ear.received).toMatchObject([{ threadId: 'gone', isMention: false }]))
  })

  test('with threads for answers, each post of a channel begins one', async () => {
    const { fake, ear } = await connected({ config: { reply_mode: 'thread' } })
    const first = await fake.member({ group: 'lab' }).say('one')
    await fake.member().say('alone')
    await vi.waitFor(() => expect(ear.received).toHaveLength(2))
    expect(ear.received.map(({ threadId }) => threadId)).toEqual([first, undefined])
  })

  test('its own words, notices, other programs and empty posts are told apart', async () => {
    const { fake, platform, ear } = await connected()
    const { chatId } = fake.member()
    await platform.send({ chatId, text: 'mine', key: 'k' })
    const send = (post: object) => {
      const whole = { id: 'x', channel_id: chatId, user_id: 'u', create_at: 1, ...post }
      fake.sendEvent('posted', { channel_type: 'D', post: JSON.stringify(whole) })
    }
    send({ type: 'system_join_channel', message: 'joined' })
    send({ message: ' \n' })
    send({ message: 'beep', props: { from_bot: 'true' } })
    send({ message: 'hook', props: { from_webhook: 'true' } })
    await vi.waitFor(() => expect(ear.received).toHaveLength(2))
    expect(ear.received.map(({ text, isBot }) => [text, isBot])).toEqual([
      ['beep', true],
      ['hook', true],
    ])
  })

  test('a file of a post is fetched within the limit', async () => {
    const { fake, platform, ear } = await connected()
    const bytes = new Uint8Array(1000).fill(7)
    await fake.member().say('', { files: [{ name: 'a.bin', mediaType: 'application/x-test', bytes }] })
    await vi.waitFor(() => expect(ear.received).toHaveLength(1))
    const [file] = ear.received[0]?.files ?? []
    if (!file) throw new Error('no file came')
    expect(file).toMatchObject({ name: 'a.bin', size: 1000 })
    const { signal } = new AbortController()
    expect(new Uint8Array((await platform.fetch?.(file, { maxBytes: 1000, signal })) ?? [])).toEqual(bytes)
    const { size: _size, ...unsized } = file
    for (const large of [file, unsized]) {
      const failure = await platform.fetch?.(large, { maxBytes: 999, signal }).catch((error: unknown) => error)
      expect(errorCode(failure)).toBe('PLATFORM_FILE_LARGE')
    }
    const gone = await platform
      .fetch?.({ ...file, ref: 'gone' }, { maxBytes: 0, signal })
      .catch((error: unknown) => error)
    expect(errorCode(gone)).toBe('MATTERMOST_FAILED')
  })
})

describe('posts that go out', () => {
  test('a post whose answer was lost is found by its key, also when the server forgot what was pending', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member()
    const message = { chatId, text: 'once', key: 'same' }
    fake.failSends('unanswered')
    expect((await catchFailure(platform.send(message))).kind).toBe('unsure')
    fake.forgetPending()
    const [delivery] = fake.deliveries()
    expect(await platform.find?.(message)).toMatchObject({ messageId: delivery?.messageId })
    expect(await platform.find?.({ ...message, key: 'other' })).toBeUndefined()
  })

  test('a post that is found was not edited away, and pages are turned', async () => {
    const { fake, platform } = await connected()
    const ada = fake.member()
    const message = { chatId: ada.chatId, text: 'draft', key: 'far back' }
    const { messageId } = await platform.send(message)
    await platform.edit?.({ chatId: ada.chatId, messageId, text: 'final', isFinal: true })
    for (let at = 0; at < 250; at++) await ada.say(`noise ${at}`)
    expect(await platform.find?.(message)).toMatchObject({ messageId })
    expect(fake.deliveries()[0]).toMatchObject({ visible: 'final', versions: ['draft', 'final'] })
  })

  test('a post with a file, sent again at once, is there once', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member()
    const bytes = async () => new TextEncoder().encode('\r\n--x\0binary')
    const message = { chatId, text: '', key: 'k', files: [outboundFile('ä "b".txt', await bytes())] }
    const first = await platform.send(message)
    expect(await platform.send(message)).toEqual(first)
    expect(fake.deliveries()).toHaveLength(1)
    expect(new Uint8Array(fake.deliveries()[0]?.files[0]?.bytes ?? [])).toEqual(await bytes())
  })

  test('typing is shown in the channel or the thread', async () => {
    const { fake, platform } = await connected()
    await platform.typing?.('c1')
    await platform.typing?.('c1', 't1')
    await vi.waitFor(() =>
      expect(fake.actions.slice(-2)).toMatchObject([
        { action: 'user_typing', data: { channel_id: 'c1', parent_id: '' } },
        { action: 'user_typing', data: { channel_id: 'c1', parent_id: 't1' } },
      ]),
    )
  })

  test('faults of the server are told apart', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member()
    const send = () => platform.send({ chatId, text: 'x', key: 'k' })
    for (const [fault, failure] of [
      ['busy', { kind: 'busy', retryAfterMs: 1000 }],
      ['unavailable', { kind: 'busy' }],
      ['forbidden', { kind: 'refused' }],
      ['lost', { kind: 'unsure' }],
      ['unanswered', { kind: 'unsure' }],
    ] as const) {
      fake.failSends(fault)
      expect([fault, await catchFailure(send())]).toEqual([fault, failure])
    }
    for (const answer of [
      { status: 500, body: '<html>' },
      { status: 201, body: '{"id":' },
      { status: 201, body: {} },
    ]) {
      fake.answerNext('POST /posts', answer)
      expect((await catchFailure(send())).kind).toBe('unsure')
    }
  })

  test('a session that expired is refused for good and said to be lost once', async () => {
    const { fake, platform, ear } = await connected()
    const { chatId } = fake.member()
    for (let time = 0; time < 2; time++) {
      fake.answerNext('POST /posts', { status: 401, body: { id: 'api.context.session_expired', message: 'expired' } })
      expect((await catchFailure(platform.send({ chatId, text: 'x', key: 'k' }))).kind).toBe('refused')
    }
    expect(ear.losses).toMatchObject([{ final: true, code: 'mattermost_unauthorized' }])
  })

  test('blanks, 20,000 emoji and a thread that is none are refused with the words of the server', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member()
    for (const [message, words] of [
      [{ chatId, text: ' \n\t ' }, 'empty'],
      [{ chatId, text: '🎉'.repeat(20_000) }, 'Invalid message'],
      [{ chatId, text: 'x', threadId: 'none' }, 'Invalid RootId'],
      [{ chatId: 'nowhere', text: 'x' }, 'permissions'],
    ] as const) {
      const failure = await platform.send({ ...message, key: words }).catch((error: unknown) => error)
      expect(classifyDeliveryError(failure).kind).toBe('refused')
      expect(String(failure)).toContain(words)
    }
    await platform.send({ chatId, text: '🎉'.repeat(10_000), key: 'fits' })
    expect(fake.deliveries()[0]?.visible).toBe('🎉'.repeat(10_000))
  })
})

describe('markup for Mattermost', () => {
  const plain = (text: string) => markup.escape?.(text) ?? text

  test('whatever is written in a post, people see the same words', () => {
    const written = fc.string({ unit: fc.constantFrom(...'ab *_~`|<>[]()#-+\\.@!1\n'), maxLength: 40 })
    // Four blanks would begin a block of code: no line of a message begins so.
    const words = written.map((text) => text.replace(/ {4,}/g, '   '))
    fc.assert(fc.property(words, (text) => void expect(wordsOfMarkdown(plain(text), 'github')).toBe(text)))
  })

  test.each(['@all', '@Channel, wake up', '(@here)'])('%s wakes nobody and reads the same', (text) => {
    expect(plain(text)).not.toMatch(/@(all|channel|here)/i)
    expect(wordsOfMarkdown(plain(text), 'github')).toBe(text)
  })

  test('code with marks is seen as it is, and addresses stay whole', () => {
    const [open, close] = markup.code ?? ['', '']
    for (const code of ['a`b', '``', '`', 'x**y**', 'a\\b', '@all']) {
      const safe = markup.escapeCode?.(code) ?? code
      expect(wordsOfMarkdown(`${open}${safe}${close}`, 'github')).toBe(code)
      expect(wordsOfMarkdown(markup.fence?.(safe, 'sh') ?? '', 'github')).toBe(code)
    }
    expect(plain('see https://a.example/b_c*d')).toBe('see https://a.example/b_c*d')
    expect(markup.link?.('here', markup.escapeAddress?.('https://a.example/(x)') ?? '')).toBe(
      '[here](https://a.example/%28x%29)',
    )
  })
})
