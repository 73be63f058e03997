import fc from 'fast-check'
import { errorCode } from 'svc/sdk'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { outboundFile, virtualClock } from 'svc/sdk/testing'
import { describe, expect, test, vi } from 'vitest'
import { markup } from '../../../../../plugins/messaging/platforms/platform-discord/markup.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-discord/stand-in/service.ts'
import { discordWords } from '../../../../../plugins/messaging/platforms/platform-discord/stand-in/text.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected } = createStages('discord', openStandIn)

async function catchFailure(work: Promise<unknown>) {
  const failure: unknown = await work.then(
    () => 'it was sent',
    (error) => error,
  )
  expect(failure).toBeInstanceOf(Error)
  return classifyDeliveryError(failure)
}

describe('messages that come in', () => {
  test('a direct message has its person, its chat and its time', async () => {
    const { fake, ear } = await connected()
    const ada = fake.member()
    const before = Date.now()
    const messageId = await ada.say('hello')
    await vi.waitFor(() => expect(ear.received).toHaveLength(1))
    const at = ear.received[0]?.at ?? 0
    expect(at >= before && at <= Date.now()).toBe(true)
    expect(ear.received[0]).toMatchObject({
      ...{ platform: 'discord', chatId: ada.chatId, userId: ada.userId, messageId, text: 'hello', chatKind: 'dm' },
      ...{ isBot: false, isMention: false },
    })
  })

  test('in a channel the bot is addressed by its name, which does not stand in the way of a command', async () => {
    const { fake, ear } = await connected()
    const ada = fake.member({ group: 'lab' })
    await ada.say('among people')
    await ada.say('/help me', { mention: true })
    await vi.waitFor(() => expect(ear.received).toHaveLength(2))
    expect(ear.received.map(({ text, isMention }) => [text, isMention])).toEqual([
      ['among people', false],
      ['/help me', true],
    ])
    expect(ear.received[0]).toMatchObject({ chatKind: 'channel', scopeId: fake.guildId, roleIds: ['555'] })
  })

  test('an answer to the bot and the mention of its role address it, a mention of everybody does not', async () => {
    const { fake, platform, ear } = await connected()
    const ada = fake.member({ group: 'lab' })
    const { messageId } = await platform.send({ chatId: ada.chatId, text: 'asked?', key: 'k' })
    await ada.say('yes', { quote: messageId })
    const base = { channel_id: ada.chatId, guild_id: fake.guildId, author: { id: ada.userId, username: 'ada' } }
    const role = { id: '901', content: `<@&${fake.botRole}> look`, mention_roles: [fake.botRole] }
    fake.dispatch('MESSAGE_CREATE', { ...base, ...role })
    fake.dispatch('MESSAGE_CREATE', { ...base, id: '902', content: '@everyone hi', mention_everyone: true })
    fake.dispatch('MESSAGE_CREATE', { ...base, id: '903', content: 'you', mention_roles: ['42'] })
    await vi.waitFor(() => expect(ear.received).toHaveLength(4))
    expect(ear.received.map(({ text, isMention }) => [text, isMention])).toEqual([
      ['yes', true],
      ['look', true],
      ['@everyone hi', false],
      ['you', false],
    ])
    expect(ear.received[0]?.quote).toEqual({ messageId, text: 'asked?' })
  })

  test('a thread belongs to its channel, and is answered in the thread', async () => {
    const { fake, platform, ear } = await connected()
    const ada = fake.member({ group: 'lab' })
    await ada.say('in here', { threadId: '7000' })
    await vi.waitFor(() => expect(ear.received[0]).toMatchObject({ chatId: ada.chatId, threadId: '7000' }))
    await platform.send({ chatId: ada.chatId, threadId: '7000', text: 'answer', key: 'k' })
    expect(fake.deliveries()).toMatchObject([{ chatId: ada.chatId, threadId: '7000', visible: 'answer' }])
  })

  test('a place that cannot be looked up now is asked for again, instead of being guessed', async () => {
    const clock = virtualClock()
    const { fake, ear } = await connected({ clock })
    const ada = fake.member({ group: 'lab' })
    fake.answerNext(`GET /channels/7001`, { status: 500 })
    await ada.say('where am I', { threadId: '7001' })
    await vi.waitFor(() => expect(fake.requests.some(({ call }) => call.endsWith('/channels/7001'))).toBe(true))
    await vi.waitFor(async () => {
      await clock.advance(1000)
      expect(ear.received).toMatchObject([{ chatId: ada.chatId, threadId: '7001' }])
    })
  })

  test('its own words, joins, other programs and empty messages are told apart', async () => {
    const { fake, platform, ear } = await connected()
    const { chatId, userId } = fake.member()
    await platform.send({ chatId, text: 'my own words', key: 'k' })
    const author = { id: userId, username: 'ada' }
    fake.dispatch('MESSAGE_CREATE', { id: '1', type: 7, channel_id: chatId, author, content: 'joined' })
    fake.dispatch('MESSAGE_CREATE', { id: '2', channel_id: chatId, author, content: ' \n' })
    fake.dispatch('MESSAGE_UPDATE', { id: '2', channel_id: chatId, author, content: 'edited' })
    fake.dispatch('MESSAGE_CREATE', { id: '3', channel_id: chatId, author: { ...author, bot: true }, content: 'beep' })
    await vi.waitFor(() => expect(ear.received.map(({ text, isBot }) => [text, isBot])).toEqual([['beep', true]]))
  })

  test('a file is fetched within the limit, and not at all when it is said to be larger', async () => {
    const { fake, platform, ear } = await connected()
    const bytes = new Uint8Array(1000).fill(7)
    await fake.member().say('see', { files: [{ name: 'a b.bin', mediaType: 'application/x-test', bytes }] })
    await vi.waitFor(() => expect(ear.received).toHaveLength(1))
    const [file] = ear.received[0]?.files ?? []
    if (!file) throw new Error('no file came')
    expect(file).toMatchObject({ name: 'a b.bin', mediaType: 'application/x-test', size: 1000 })
    const { signal } = new AbortController()
    expect(new Uint8Array((await platform.fetch?.(file, { maxBytes: 1000, signal })) ?? [])).toEqual(bytes)
    expect(await platform.fetch?.(file, { maxBytes: 0, signal })).toHaveLength(1000)
    const { size: _size, ...unsized } = file
    for (const large of [file, unsized]) {
      const failure = await platform.fetch?.(large, { maxBytes: 999, signal }).catch((error: unknown) => error)
      expect(errorCode(failure)).toBe('PLATFORM_FILE_LARGE')
    }
    const gone = await platform
      .fetch?.({ ...file, ref: `${file.ref.replace(/\d+/g, '1')}` }, { maxBytes: 9, signal })
      .catch((error: unknown) => errorCode(error))
    expect(gone).not.toBeInstanceOf(Uint8Array)
  })
})

describe('buttons and commands', () => {
  test('a pressed button comes as its value and label, and is acknowledged after it was taken', async () => {
    const { fake, platform, ear } = await connected()
    const ada = fake.member({ group: 'lab' })
    const buttons = Array.from({ length: 7 }, (_, at) => ({ value: `v${at}`, label: `Choice ${at}` }))
    const { messageId } = await platform.send({ chatId: ada.chatId, text: 'which?', key: 'k', buttons })
    expect(fake.deliveries()[0]?.buttons).toHaveLength(7)
    await ada.press?.('Choice 6')
    await vi.waitFor(() => expect(fake.callbacks).toMatchObject([{ type: 6 }]))
    expect(ear.received).toMatchObject([{ press: 'v6', text: 'Choice 6', chatId: ada.chatId, quote: { messageId } }])
    await platform.edit?.({ chatId: ada.chatId, messageId, text: 'chosen', isFinal: true })
    expect(fake.deliveries()[0]).toMatchObject({ buttons: [], visible: 'chosen', versions: ['which?', 'chosen'] })
  })

  test('a button that could not be taken is not acknowledged, so that the person presses it again', async () => {
    const { fake, platform, ear } = await connected()
    const ada = fake.member()
    await platform.send({ chatId: ada.chatId, text: 'ok?', key: 'k', buttons: [{ value: 'y', label: 'Yes' }] })
    ear.refuse = 1
    await ada.press?.('Yes')
    await ada.press?.('Yes')
    await vi.waitFor(() => expect(fake.callbacks).toHaveLength(1))
    expect(ear.received).toMatchObject([{ press: 'y', chatKind: 'dm', userId: ada.userId }])
  })

  test('a pressed button does not wait behind a message whose place is still looked up', async () => {
    const { fake, platform, ear } = await connected()
    const ada = fake.member({ group: 'lab' })
    await platform.send({ chatId: ada.chatId, text: 'ok?', key: 'k', buttons: [{ value: 'y', label: 'Yes' }] })
    fake.answerNext('GET /channels/7002', 'open')
    await ada.say('in a thread that nobody knows', { threadId: '7002' })
    await ada.press?.('Yes')
    await vi.waitFor(() => expect(fake.callbacks).toHaveLength(1))
    expect(ear.received).toMatchObject([{ press: 'y' }])
  })

  test('a command of the menu becomes the text that would be typed, and its note is taken away', async () => {
    const { fake, ear } = await connected()
    const ada = fake.member({ group: 'lab' })
    const id = await fake.useCommand(ada, 'model', 'fast please')
    await fake.useCommand(ada, 'help', '')
    await vi.waitFor(() => expect(fake.requests.filter(({ call }) => call.startsWith('DELETE'))).toHaveLength(2))
    expect(ear.received.map(({ text }) => text)).toEqual(['/model fast please', '/help'])
    expect(ear.received[0]).toMatchObject({ messageId: id, isMention: true, userId: ada.userId })
    expect(fake.callbacks.map(({ type }) => type)).toEqual([5, 5])
  })

  test('the menu is registered once, and left alone while it is the same', async () => {
    const { fake, platform, ear, showMenu } = await connected({ plugins: ['session-commands'] })
    const calls = (method: string) =>
      fake.requests.filter(({ call }) => call === `${method} /applications/${fake.applicationId}/commands`)
    await showMenu()
    expect(fake.menu().map(({ name }) => name)).toContain('new')
    fake.forgetSessions()
    await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
    await platform.connect(ear).catch(() => undefined)
    await platform.connect(ear)
    await showMenu()
    expect(calls('GET')).toHaveLength(2)
    expect(calls('PUT')).toHaveLength(1)
  })
})

describe('messages that go out', () => {
  test('a limit is said with its wait, and holds for this channel without asking again', async () => {
    const clock = virtualClock()
    const { fake, platform } = await connected({ clock })
    const { chatId } = fake.member()
    const other = fake.member()
    fake.failSends('busy')
    expect(await catchFailure(platform.send({ chatId, text: 'one', key: 'a' }))).toEqual({
      kind: 'busy',
      retryAfterMs: 1000,
    })
    const asked = fake.requests.length
    await clock.advance(400)
    expect(await catchFailure(platform.send({ chatId, text: 'one', key: 'a' }))).toEqual({
      kind: 'busy',
      retryAfterMs: 600,
    })
    expect(fake.requests).toHaveLength(asked)
    await platform.send({ chatId: other.chatId, text: 'elsewhere', key: 'b' })
    await clock.advance(600)
    await platform.send({ chatId, text: 'one', key: 'a' })
    expect(fake.deliveries().map(({ visible }) => visible)).toEqual(['elsewhere', 'one'])
  })

  test('a limit for the whole bot holds in every channel', async () => {
    const clock = virtualClock()
    const { fake, platform } = await connected({ clock })
    const body = { message: 'You are being rate limited.', retry_after: 0.25, global: true }
    fake.answerNext('POST /channels', { status: 429, headers: { 'x-ratelimit-global': 'true' }, body })
    const busy = { kind: 'busy', retryAfterMs: 250 }
    expect(await catchFailure(platform.send({ chatId: fake.member().chatId, text: 'a', key: 'a' }))).toEqual(busy)
    expect(await catchFailure(platform.send({ chatId: fake.member().chatId, text: 'b', key: 'b' }))).toEqual(busy)
  })

  test('headers that say that nothing is left are believed', async () => {
    const { fake, platform } = await connected({ clock: virtualClock() })
    const { chatId } = fake.member()
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '1.5' }
    fake.answerNext('POST /channels', { headers, body: { id: '1' } })
    await platform.send({ chatId, text: 'the last', key: 'a' })
    expect(await catchFailure(platform.send({ chatId, text: 'too many', key: 'b' }))).toMatchObject({
      retryAfterMs: 1500,
    })
  })

  test('faults of the service are told apart', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member()
    const catchKind = async (key: string) => (await catchFailure(platform.send({ chatId, text: 'x', key }))).kind
    for (const [fault, kind] of [
      ...[['unavailable', 'busy'] as const, ['forbidden', 'refused'] as const],
      ...[['lost', 'unsure'] as const, ['unanswered', 'unsure'] as const],
    ] as const) {
      // A connection that was kept open and breaks is tried once more by the client: two have to break.
      fake.failSends(fault, kind === 'unsure' ? 2 : 1)
      expect([fault, await catchKind(fault)]).toEqual([fault, kind])
      fake.calm()
    }
    for (const answer of [{ status: 502, body: '<html>bad gateway' }, { body: '{"id":' }, { body: { id: 5 } }]) {
      fake.answerNext('POST /channels', answer)
      expect(await catchKind('strange')).toBe('unsure')
    }
    fake.answerNext('POST /channels', { status: 429, headers: { 'retry-after': '3' }, body: 'error 1015' })
    expect(await catchFailure(platform.send({ chatId, text: 'x', key: 'y' }))).toEqual({
      kind: 'busy',
      retryAfterMs: 3000,
    })
  })

  test('a message whose answer was lost is not there twice when it is sent again', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member()
    fake.failSends('unanswered', 2)
    expect((await catchFailure(platform.send({ chatId, text: 'once', key: 'same' }))).kind).toBe('unsure')
    fake.calm()
    const { messageId } = await platform.send({ chatId, text: 'once', key: 'same' })
    expect(fake.deliveries()).toMatchObject([{ messageId, visible: 'once' }])
  })

  test('a message with a file that was sent again is there once, with its words and buttons', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member()
    const bytes = async () => new TextEncoder().encode('\r\n--x\0binary')
    const file = outboundFile('böse "name".txt', await bytes())
    const message = { chatId, text: 'here', key: 'k', files: [file], buttons: [{ value: 'a', label: 'A' }] }
    const first = await platform.send(message)
    expect(await platform.send(message)).toEqual(first)
    const [delivery, ...more] = fake.deliveries()
    expect(more).toEqual([])
    expect(delivery).toMatchObject({ visible: 'here', buttons: ['A'] })
    expect(new Uint8Array(delivery?.files[0]?.bytes ?? [])).toEqual(await bytes())
  })

  test('nothing that is sent may ring bells', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member()
    await platform.send({ chatId, text: '@everyone <@1>', key: 'k', replyTo: '12' })
    const { body = '{}' } = fake.requests.findLast(({ call }) => call.startsWith('POST')) ?? {}
    expect(JSON.parse(body)).toMatchObject({
      allowed_mentions: { parse: [] },
      message_reference: { message_id: '12', fail_if_not_exists: false },
    })
  })

  test('blanks, 10,000 emoji and a chat that is gone are refused with the words of the service', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member()
    for (const [text, chat, words] of [
      [' \n\t ', chatId, 'Cannot send an empty message'],
      ['🎉'.repeat(10_000), chatId, '2000 or fewer'],
      ['hello', '999', 'Unknown Channel (code 10003)'],
    ] as const) {
      const failure = await platform
        .send({ chatId: chat, text, key: text.slice(0, 9) })
        .catch((error: unknown) => error)
      expect(classifyDeliveryError(failure).kind).toBe('refused')
      expect(String(failure)).toContain(words)
    }
    await platform.send({ chatId, text: '🎉'.repeat(2000), key: 'fits' })
    expect(fake.deliveries().at(-1)?.visible).toBe('🎉'.repeat(2000))
  })
})

describe('markup for Discord', () => {
  const plain = (text: string) => markup.escape?.(text) ?? text

  test('whatever is written, people see the same words', () => {
    const words = fc.string({ unit: fc.constantFrom(...'ab *_~`|<>[]()#-\\.@!1\n'), maxLength: 40 })
    fc.assert(fc.property(words, (text) => void expect(discordWords(plain(text))).toBe(text)))
  })

  test('code with marks of code is seen as it is, within a line and in a block', () => {
    const marks = fc.string({ unit: fc.constantFrom(...'ab`*\\ '), minLength: 1, maxLength: 12 })
    const code = marks.filter((text) => text.trim() === text)
    const [open, close] = markup.code ?? ['', '']
    fc.assert(
      fc.property(code, (text) => {
        const safe = markup.escapeCode?.(text) ?? text
        expect(discordWords(`${open}${safe}${close}`)).toBe(text)
        expect(discordWords(markup.fence?.(safe, 'ts') ?? '')).toBe(text)
      }),
    )
  })

  test('addresses stay whole, in the open and behind words', () => {
    expect(plain('see https://a.example/b_c*d_(e)')).toBe('see https://a.example/b_c*d_(e)')
    const address = markup.escapeAddress?.('https://a.example/x (y)') ?? ''
    expect(markup.link?.('here', address)).toBe('[here](https://a.example/x%20%28y%29)')
    expect(markup.link?.('https://a.example/', 'https://a.example/')).toBe('https://a.example/')
  })
})
