import fc from 'fast-check'
import { classifyDeliveryError, type Platform } from 'svc/sdk/platform'
import { outboundFile } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { plainText, withBreaks } from '../../../../../plugins/messaging/platforms/platform-matrix/html.ts'
import { markup } from '../../../../../plugins/messaging/platforms/platform-matrix/markup.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-matrix/stand-in/service.ts'
import { opus } from '../../../../support/pictures.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected, stage } = createStages('matrix', openStandIn)
const TOKENLESS = { MATRIX_ACCESS_TOKEN: undefined }

const catchFailure = (platform: Platform, chatId: string) =>
  platform.send({ chatId, text: 'hi', key: 'key' }).then(
    () => undefined,
    (error) => ({ ...classifyDeliveryError(error), code: error.code }),
  )

test('text with marks goes out as HTML and as plain text, and text without only as plain text', async () => {
  const { fake, platform } = await connected()
  const { chatId } = fake.member()
  const text = '<strong>a</strong> &amp; b\n<pre><code>x\ny</code></pre><a href="https://e.org/?a&amp;b">here</a>'
  await platform.send({ chatId, text, key: 'one' })
  expect(fake.lastContent()).toMatchObject({
    msgtype: 'm.text',
    body: 'a & b\nx\nyhere (https://e.org/?a&b)',
    format: 'org.matrix.custom.html',
    formatted_body: expect.stringContaining('</strong> &amp; b<pre><code>x\ny</code></pre><a'),
  })
  await platform.send({ chatId, text: '1 &lt; 2', key: 'two' })
  expect(fake.lastContent()).toEqual({ msgtype: 'm.text', body: '1 < 2', 'm.mentions': {} })
})

test('lines break where they are meant to, and blocks stand alone without gaps', () => {
  expect(withBreaks('<h1>T</h1>\n\na\n  • b\n\n<blockquote>q\nr</blockquote>\n\nc\n\n<pre>\n  x\n</pre>\n\nd')).toBe(
    '<h1>T</h1>a<br>\u00a0\u00a0• b<blockquote>q<br>r</blockquote>c<pre>\n  x\n</pre>d',
  )
})

test('whatever people write, nothing of it becomes HTML, and the plain text says the same', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const escaped = markup.escape?.(text) ?? ''
      expect(escaped).not.toMatch(/[<>]/)
      expect(plainText(escaped)).toBe(text)
    }),
  )
})

test('an answer is a reply, stays in its thread, and is edited with its new content', async () => {
  const { fake, platform } = await connected()
  const { chatId } = fake.member()
  await platform.send({ chatId, text: 'yes', key: '1', replyTo: '$question' })
  expect(fake.lastContent()['m.relates_to']).toEqual({ 'm.in_reply_to': { event_id: '$question' } })
  const { messageId } = await platform.send({ chatId, text: 'draft', key: '2', threadId: '$root' })
  expect(fake.lastContent()['m.relates_to']).toEqual({
    rel_type: 'm.thread',
    event_id: '$root',
    is_falling_back: true,
    'm.in_reply_to': { event_id: '$root' },
  })
  await platform.edit?.({ chatId, messageId, text: '<em>final</em>', isFinal: true })
  expect(fake.lastContent()).toMatchObject({
    body: '* final',
    'm.new_content': { body: 'final', formatted_body: '<em>final</em>' },
    'm.relates_to': { rel_type: 'm.replace', event_id: messageId },
  })
  expect(fake.deliveries().at(-1)).toMatchObject({ visible: 'final', threadId: '$root' })
})

test('a file goes up and is sent with its caption', async () => {
  const { fake, platform } = await connected()
  const { chatId } = fake.member()
  const file = outboundFile('cat.png', 'png', { mediaType: 'image/png' })
  await platform.send({ chatId, text: 'a cat', key: '1', files: [file] })
  await platform.send({ chatId, text: '', key: '2', files: [{ ...file, mediaType: 'text/plain', kind: 'document' }] })
  const [picture, text] = fake.deliveries()
  expect(picture).toMatchObject({ visible: 'a cat', files: [{ name: 'cat.png', bytes: Buffer.from('png') }] })
  expect(text).toMatchObject({ visible: 'cat.png' })
  expect(fake.lastContent()).toMatchObject({ msgtype: 'm.file', info: { mimetype: 'text/plain' } })
})

test.for([
  ['busy', { kind: 'busy', retryAfterMs: 1000, code: 'MATRIX_FAILED' }],
  ['unavailable', { kind: 'busy', code: 'MATRIX_FAILED' }],
  ['lost', { kind: expect.stringMatching('busy|unsure'), code: 'MATRIX_FAILED' }],
  ['forbidden', { kind: 'refused', code: 'MATRIX_FAILED' }],
] as const)('a send to Matrix that goes wrong as "%s" is judged as it deserves', async ([fault, expected]) => {
  const { fake, platform } = await connected()
  const { chatId } = fake.member()
  // A request whose connection was cut without an answer is made once more at once.
  fake.failSends(fault, fault === 'lost' ? 2 : 1)
  expect(await catchFailure(platform, chatId)).toEqual(expected)
  // Tried again with its key, it is one message whatever had happened.
  expect(await catchFailure(platform, chatId)).toBeUndefined()
  expect(fake.deliveries()).toHaveLength(1)
})

test('a message of Matrix whose answer was lost is sent once', async () => {
  const { fake, platform } = await connected()
  const { chatId } = fake.member()
  fake.failSends('unanswered')
  await catchFailure(platform, chatId)
  expect(await catchFailure(platform, chatId)).toBeUndefined()
  expect(fake.deliveries()).toHaveLength(1)
})

test('ten thousand emoji are refused by the homeserver as too large, and a thousand arrive whole', async () => {
  const { fake, platform } = await connected()
  const { chatId } = fake.member()
  await platform.send({ chatId, text: '😀'.repeat(1000), key: '1' })
  expect(fake.deliveries()[0]?.visible).toBe('😀'.repeat(1000))
  const text = '👩‍👩‍👧‍👦'.repeat(10_000)
  await expect(platform.send({ chatId, text, key: '2' })).rejects.toThrow('M_TOO_LARGE')
})

test('a room where the account is not is refused with what the homeserver says', async () => {
  const { platform } = await connected()
  await expect(platform.send({ chatId: '!gone:example.org', text: 'hi', key: '1' })).rejects.toThrow('M_NOT_FOUND')
})

test('a token that is wrong is said at once and not tried again', async () => {
  const { platform, ear, fake } = await stage({ env: { MATRIX_ACCESS_TOKEN: 'syt_wrong_token' } })
  const failure = await platform.connect(ear).catch((error) => error)
  expect(failure).toMatchObject({ code: 'MATRIX_UNAUTHORIZED' })
  expect(classifyDeliveryError(failure).kind).toBe('refused')
  expect(failure.message).toContain('MATRIX_ACCESS_TOKEN')
  expect(failure.message).not.toContain('syt_wrong_token')
  expect(fake.connected()).toBe(false)
})

test('a token of another account than the one that is named is not used', async () => {
  const { platform, ear, fake } = await stage({
    env: { MATRIX_USER_ID: '@other:example.org' },
  })
  await expect(platform.connect(ear)).rejects.toMatchObject({ code: 'MATRIX_OTHER_ACCOUNT' })
  expect(fake.asked('client/sync')).toBe(0)
})

test('an account that is logged out is told once and for good', async () => {
  const { fake, platform, ear } = await connected()
  await vi.waitFor(() => expect(fake.connected()).toBe(true))
  fake.disturb('logout')
  await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
  expect(ear.losses[0]).toMatchObject({ final: true, code: 'matrix_unauthorized' })
  expect(ear.losses[0]?.reason).toContain('MATRIX_ACCESS_TOKEN')
  expect(await catchFailure(platform, fake.member().chatId)).toMatchObject({ kind: 'busy', code: 'MATRIX_CLOSED' })
})

test('a password logs in again by itself, as the same device, when its session was ended', async () => {
  const env = { ...TOKENLESS, MATRIX_USER_ID: '@svc:example.org', MATRIX_PASSWORD: 'correct horse' }
  const { fake, platform, ear } = await connected({ env })
  await vi.waitFor(() => expect(fake.connected()).toBe(true))
  fake.endSession()
  await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
  expect(ear.losses[0]?.final).toBeUndefined()
  await platform.connect(ear)
  await fake.member().say('back?')
  await vi.waitFor(() => expect(ear.texts).toEqual(['back?']))
  expect(fake.asked('client/login')).toBe(2)
})

test('a password that is wrong is said without it', async () => {
  const env = { ...TOKENLESS, MATRIX_USER_ID: '@svc:example.org', MATRIX_PASSWORD: 'wrong battery' }
  const { platform, ear } = await stage({ env })
  const failure = await platform.connect(ear).catch((error) => error)
  expect(failure).toMatchObject({ code: 'MATRIX_UNAUTHORIZED' })
  expect(failure.message).not.toContain('battery')
})

test('what is missing to connect to Matrix is said as a sentence', async () => {
  const missing = async (env: Record<string, string>, config = {}) =>
    (await stage({ env: { ...TOKENLESS, ...env }, config })).platform.missing?.()
  expect(await missing({}, { homeserver: '' })).toContain('MATRIX_HOMESERVER')
  expect(await missing({}, { homeserver: 'example.org' })).toContain('https://')
  expect(await missing({})).toContain('MATRIX_ACCESS_TOKEN')
  expect(await missing({ MATRIX_USER_ID: '@svc:example.org' })).toContain('both')
  expect(await missing({ MATRIX_ACCESS_TOKEN: 'syt_something_long' })).toBeUndefined()
})

test('a homeserver that cannot be reached is worth another try', async () => {
  const fake = await openStandIn()
  const { platform, ear } = await stage({ fake })
  await fake.close()
  const failure = await platform.connect(ear).catch((error) => error)
  expect(classifyDeliveryError(failure).kind).toBe('busy')
  expect(await platform.probe()).toBe(false)
})

test('what was taken is marked as read, unless no one wants that', async () => {
  for (const read_receipts of [true, false]) {
    const { fake, platform, ear } = await connected({ config: { read_receipts } })
    const ada = fake.member()
    await ada.say('one')
    await vi.waitFor(() => expect(ear.texts).toEqual(['one']))
    await platform.typing?.(ada.chatId)
    await ada.say('two')
    await vi.waitFor(() => expect(ear.texts).toEqual(['one', 'two']))
    await platform.probe()
    const asked = fake.asked('client/rooms/receipt/m.read')
    expect(read_receipts ? asked > 0 : asked === 0).toBe(true)
    expect(fake.asked('client/rooms/typing')).toBe(1)
  }
})

test('a voice message says how long it is, and how loud where', async () => {
  const { fake, platform } = await connected()
  const { chatId } = fake.member()
  const bytes = opus([...Array.from({ length: 50 }, () => 20), ...Array.from({ length: 50 }, () => 200)])
  const file = outboundFile('a.ogg', bytes, { mediaType: 'audio/ogg', isVoice: true })
  await platform.send({ chatId, text: '', key: '1', files: [file] })
  const { info, 'org.matrix.msc1767.audio': audio } = fake.lastContent() as Record<string, Record<string, unknown>>
  expect(info).toMatchObject({ mimetype: 'audio/ogg', duration: 2000 })
  expect(audio).toEqual({
    duration: 2000,
    waveform: [...Array.from({ length: 10 }, () => 104), ...Array.from({ length: 10 }, () => 1020)],
  })
})
