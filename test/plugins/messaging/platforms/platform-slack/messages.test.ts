import fc from 'fast-check'
import { errorCode } from 'svc/sdk'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { outboundFile } from 'svc/sdk/testing'
import { describe, expect, test, vi } from 'vitest'
import { markup, readable } from '../../../../../plugins/messaging/platforms/platform-slack/markup.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-slack/stand-in/service.ts'
import { slackWords } from '../../../../../plugins/messaging/platforms/platform-slack/stand-in/text.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected } = createStages('slack', openStandIn)

async function catchFailure(work: Promise<unknown>) {
  const failure: unknown = await work.then(
    () => 'it was sent',
    (error) => error,
  )
  expect(failure).toBeInstanceOf(Error)
  return classifyDeliveryError(failure)
}

describe('messages from Slack', () => {
  test('a direct message is one of a person alone, without a thread', async () => {
    const { fake, ear } = await connected()
    const ada = fake.member()
    const messageId = await ada.say('a < b && c > d')
    await vi.waitFor(() => expect(ear.received).toHaveLength(1))
    expect(ear.received[0]).toMatchObject({
      ...{ chatId: ada.chatId, userId: ada.userId, messageId, text: 'a < b && c > d', chatKind: 'dm', scopeId: 'T1' },
      ...{ isBot: false, isMention: false, at: Math.floor(Number(messageId) * 1000) },
    })
    expect(ear.received[0]?.threadId).toBeUndefined()
  })

  test('in a channel the app is addressed by its name, and each message begins a thread', async () => {
    const { fake, ear } = await connected()
    const ada = fake.member({ group: 'lab' })
    const first = await ada.say('among people')
    await ada.say('!help me', { mention: true })
    await vi.waitFor(() => expect(ear.received).toHaveLength(3))
    const [one, two, again] = ear.received
    expect(one).toMatchObject({ chatKind: 'channel', threadId: first, isMention: false })
    expect(two).toMatchObject({ text: '!help me', isMention: true })
    // Slack tells a mention twice, with one id.
    expect(again?.messageId).toBe(two?.messageId)
  })

  test('people have their names, which are asked for once, and no one waits for one that is not told', async () => {
    const { fake, ear } = await connected()
    const [ada, bob] = [fake.member(), fake.member()]
    await ada.say('one')
    await ada.say('two')
    await vi.waitFor(() => expect(ear.received).toHaveLength(2))
    fake.answerNext('users.info', { body: { ok: false, error: 'missing_scope', needed: 'users:read' } })
    await bob.say('three')
    await vi.waitFor(() => expect(ear.received.map(({ userName }) => userName)).toEqual(['Ada', 'Ada', undefined]))
    expect(fake.calls.filter(({ method }) => method === 'users.info')).toHaveLength(2)
  })

  test('without threads of its own an answer stays in the channel', async () => {
    const { fake, ear } = await connected({ config: { reply_in_thread: false } })
    await fake.member({ group: 'lab' }).say('plain')
    await vi.waitFor(() => expect(ear.received).toHaveLength(1))
    expect(ear.received[0]?.threadId).toBeUndefined()
  })

  test('an answer in a thread of the app addresses it and is answered there', async () => {
    const { fake, platform, ear } = await connected()
    const ada = fake.member({ group: 'lab' })
    const { messageId } = await platform.send({ chatId: ada.chatId, text: 'asked', key: 'k' })
    await ada.say('yes', { threadId: messageId })
    await vi.waitFor(() => expect(ear.received).toMatchObject([{ threadId: messageId, isMention: true }]))
    await platform.send({ chatId: ada.chatId, threadId: messageId, text: 'fine', key: 'k2' })
    expect(fake.deliveries().at(-1)).toMatchObject({ threadId: messageId, visible: 'fine' })
  })

  test('its own words, notices, other programs and empty messages are told apart', async () => {
    const { fake, platform, ear } = await connected()
    const { chatId } = fake.member()
    await platform.send({ chatId, text: 'mine', key: 'k' })
    const send = (event: object) => fake.sendEnvelope('events_api', { event: { channel: chatId, ts: '1.1', ...event } })
    send({ type: 'message', subtype: 'message_changed', message: { text: 'edited' } })
    send({ type: 'message', subtype: 'channel_join', user: 'U1', text: 'joined' })
    send({ type: 'message', user: 'U1', text: ' ' })
    send({ type: 'reaction_added', user: 'U1' })
    send({ type: 'message', subtype: 'bot_message', bot_id: 'B9', text: 'beep' })
    await vi.waitFor(() => expect(ear.received).toMatchObject([{ text: 'beep', isBot: true, userId: 'B9' }]))
    await vi.waitFor(() => expect(fake.acknowledged).toHaveLength(6))
  })

  test('a file is fetched within the limit, with the token only from Slack', async () => {
    const { fake, platform, ear } = await connected()
    const bytes = new Uint8Array(1000).fill(7)
    await fake.member().say('see', { files: [{ name: 'a.bin', mediaType: 'application/x-test', bytes }] })
    await vi.waitFor(() => expect(ear.received).toHaveLength(1))
    const [file] = ear.received[0]?.files ?? []
    if (!file) throw new Error('no file came')
    const { signal } = new AbortController()
    expect(new Uint8Array((await platform.fetch?.(file, { maxBytes: 1000, signal })) ?? [])).toEqual(bytes)
    const { size: _size, ...unsized } = file
    const catchCode = async (what: typeof file, maxBytes: number) =>
      errorCode(await platform.fetch?.(what, { maxBytes, signal }).catch((error: unknown) => error))
    expect([await catchCode(file, 999), await catchCode(unsized, 999)]).toEqual([
      'PLATFORM_FILE_LARGE',
      'PLATFORM_FILE_LARGE',
    ])
    for (const ref of ['https://evil.example/files/F1', 'http://files.slack.com.evil.example/x', 'no address']) {
      expect(await catchCode({ ...file, ref }, 0)).toBe('SLACK_FAILED')
    }
  })
})

describe('messages to Slack', () => {
  test('a message whose answer was lost is found by its key, in the channel and in a thread', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member({ group: 'lab' })
    const root = await platform.send({ chatId, text: 'root', key: 'root' })
    for (const threadId of [undefined, root.messageId]) {
      const message = { chatId, text: 'once', key: `k-${threadId}`, ...(threadId && { threadId }) }
      expect(await platform.find?.(message)).toBeUndefined()
      fake.failSends('unanswered')
      expect((await catchFailure(platform.send(message))).kind).toBe('unsure')
      expect(await platform.find?.(message)).toMatchObject({ messageId: fake.deliveries().at(-1)?.messageId })
    }
    expect(fake.deliveries()).toHaveLength(3)
  })

  test('a file is uploaded and shared once, and one of another day is not looked for in vain', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member()
    const bytes = async () => new TextEncoder().encode('content')
    const notes: string[] = []
    const writeNote = (note: string) => void notes.push(note)
    const message = { chatId, text: 'here', key: 'k', files: [outboundFile('ä.txt', await bytes())], writeNote }
    expect((await catchFailure(platform.find?.(message) ?? Promise.resolve())).kind).toBe('unsure')
    fake.failSends('unanswered')
    expect((await catchFailure(platform.send(message))).kind).toBe('unsure')
    const found = await platform.find?.({ ...message, note: notes[0] ?? '' })
    expect(fake.deliveries()).toMatchObject([
      { messageId: found?.messageId, visible: 'here', files: [{ name: 'ä.txt' }] },
    ])
    expect(new Uint8Array(fake.deliveries()[0]?.files[0]?.bytes ?? [])).toEqual(await bytes())
  })

  test('words with a link that were lost behind their files are sent once more, and the files are not', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member()
    const notes: string[] = []
    const files = [outboundFile('a.txt', new TextEncoder().encode('content'))]
    const message = { chatId, text: 'see https://example.org', key: 'k', files }
    fake.answerNext('chat.postMessage', 'cut')
    const lost = platform.send({ ...message, writeNote: (note) => void notes.push(note) })
    expect((await catchFailure(lost)).kind).toBe('unsure')
    const again = { ...message, note: notes[0] ?? '' }
    expect(await platform.find?.(again)).toBeUndefined()
    const { messageId } = await platform.send(again)
    expect(await platform.find?.(again)).toMatchObject({ messageId })
    expect(fake.deliveries().map((each) => each.files.length)).toEqual([1, 0])
  })

  test('buttons stand under the text, and go when the message is edited', async () => {
    const { fake, platform, ear } = await connected()
    const ada = fake.member()
    const buttons = [
      { value: 'y', label: 'Yes', style: 'primary' as const },
      { value: 'n', label: 'No'.repeat(60), style: 'danger' as const },
    ]
    const { messageId } = await platform.send({ chatId: ada.chatId, text: 'sure?', key: 'k', buttons })
    expect(fake.deliveries()[0]).toMatchObject({ visible: 'sure?', buttons: ['Yes', `${'No'.repeat(37)}…`] })
    await ada.press?.('Yes')
    await vi.waitFor(() => expect(ear.received).toMatchObject([{ press: 'y', text: 'Yes', quote: { messageId } }]))
    await platform.edit?.({ chatId: ada.chatId, messageId, text: 'done', isFinal: true })
    expect(fake.deliveries()[0]).toMatchObject({ visible: 'done', buttons: [] })
  })

  test('faults of the service are told apart', async () => {
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
    for (const [answer, kind] of [
      [{ status: 502, body: '<html>' }, 'unsure'],
      [{ body: '{"ok":' }, 'unsure'],
      [{ body: { ok: true } }, 'unsure'],
      [{ body: { ok: false, error: 'internal_error' } }, 'unsure'],
      [{ body: { ok: false, error: 'ratelimited' }, headers: { 'retry-after': '30' } }, 'busy'],
      [{ body: { ok: false, error: 'missing_scope', needed: 'chat:write' } }, 'refused'],
    ] as const) {
      fake.answerNext('chat.postMessage', answer)
      expect((await catchFailure(send())).kind).toBe(kind)
    }
  })

  test('a token that is revoked is refused for good and said to be lost once', async () => {
    const { fake, platform, ear } = await connected()
    const { chatId } = fake.member()
    for (let time = 0; time < 2; time++) {
      fake.answerNext('chat.postMessage', { body: { ok: false, error: 'token_revoked' } })
      expect((await catchFailure(platform.send({ chatId, text: 'x', key: 'k' }))).kind).toBe('refused')
    }
    expect(ear.losses).toMatchObject([{ final: true, code: 'slack_unauthorized' }])
  })

  test('blanks, an edit that is too long and 10,000 emoji are refused or arrive whole', async () => {
    const { fake, platform } = await connected()
    const { chatId } = fake.member()
    expect((await catchFailure(platform.send({ chatId, text: ' \n', key: 'a' }))).kind).toBe('refused')
    const emoji = '🎉'.repeat(10_000)
    const { messageId } = await platform.send({ chatId, text: emoji, key: 'b' })
    expect(fake.deliveries()[0]?.visible).toBe(emoji)
    const edit = platform.edit?.({ chatId, messageId, text: '🎉'.repeat(1001), isFinal: true })
    expect((await catchFailure(edit ?? Promise.resolve())).kind).toBe('refused')
    await platform.edit?.({ chatId, messageId, text: '🎉'.repeat(1000), isFinal: true })
  })
})

describe('markup for Slack', () => {
  test('whatever is written, it becomes no link, rings no bell, and is seen as it was', () => {
    const words = fc.string({ unit: fc.constantFrom(...'ab<>&;|!@#amp '), maxLength: 40 })
    fc.assert(
      fc.property(words, (text) => {
        const safe = markup.escape?.(text) ?? text
        expect(safe).not.toMatch(/[<>]/)
        expect(slackWords(safe)).toBe(text)
        expect(readable(safe)).toBe(text)
      }),
    )
  })

  test.each([
    ['<@U1|ada> and <@U2>', '@ada and @U2'],
    ['<#C1|lab>, <!here>, <!subteam^S1|@team>', '#lab, @here, @team'],
    ['<https://a.example|words> <https://b.example>', 'words (https://a.example) https://b.example'],
    ['<mailto:a@b.example|a@b.example> 1 &lt; 2 &amp;amp;', 'a@b.example 1 < 2 &amp;'],
  ])('%s reads as %s', (text, words) => expect(readable(text)).toBe(words))

  test('a lone backtick makes no code on Slack, and those within a block do not end it', () => {
    expect(slackWords(`${markup.escape?.('the ` key,')} \`*b*\``)).toBe('the ˋ key, *b*')
    const code = '```\na `b` *c*\n```'
    const block = markup.fence?.(markup.escapeCode?.(code) ?? '', '') ?? ''
    expect(slackWords(`${block} behind`).replaceAll('\u200b', '')).toBe(`${code} behind`)
  })

  test('a link keeps its words and its address apart', () => {
    const address = markup.escapeAddress?.('https://a.example/?a=1&b=2|3') ?? ''
    expect(markup.link?.('x|y', address)).toBe('<https://a.example/?a=1&amp;b=2%7C3|x y>')
  })
})
