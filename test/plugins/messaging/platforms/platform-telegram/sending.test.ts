import fc from 'fast-check'
import { classifyMediaType } from 'svc/sdk/media'
import { classifyDeliveryError, type OutboundMessage } from 'svc/sdk/platform'
import { outboundFile } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { html, withoutMarks } from '../../../../../plugins/messaging/platforms/platform-telegram/html.ts'
import {
  chooseMediaForm,
  getSendMethod,
} from '../../../../../plugins/messaging/platforms/platform-telegram/outgoing.ts'
import { readHtml } from '../../../../../plugins/messaging/platforms/platform-telegram/stand-in/html.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-telegram/stand-in/service.ts'
import { catchCode, createStages } from '../../../../support/platform-stage.ts'

const { connected: bot } = createStages('telegram', openStandIn)

const out = (text: string, more: Partial<OutboundMessage> = {}): OutboundMessage => ({
  chatId: '1001',
  text,
  key: 'key-1',
  ...more,
})

test.for([
  ['busy', 'busy', 1000],
  ['unavailable', 'busy', undefined],
  ['lost', 'unsure', undefined],
  ['unanswered', 'unsure', undefined],
  ['forbidden', 'refused', undefined],
] as const)('when Telegram answers a message with "%s" the gateway is told "%s"', async ([fault, kind, wait]) => {
  await using at = await bot()
  await at.platform.probe()
  at.fake.failSends(fault)
  const error = await at.platform.send(out('hello')).catch((reason: unknown) => reason)
  expect(classifyDeliveryError(error)).toEqual({ kind, ...(wait && { retryAfterMs: wait }) })
  expect(at.fake.deliveries()).toHaveLength(fault === 'unanswered' ? 1 : 0)
})

test('nothing listens where the Bot API should be: nothing was sent to Telegram, and it may be tried again', async () => {
  const fake = await openStandIn()
  await using at = await bot({ fake })
  await fake.close()
  const error = await at.platform.send(out('hello')).catch((reason: unknown) => reason)
  expect(classifyDeliveryError(error)).toEqual({ kind: 'busy' })
})

test('Telegram takes 4,096 characters of text; more, or blanks alone, are refused before they are sent', async () => {
  await using at = await bot()
  expect(await catchCode(at.platform.send(out('x'.repeat(4097))))).toBe('TELEGRAM_LENGTH')
  expect(await catchCode(at.platform.send(out('👩‍👩‍👧'.repeat(10_000))))).toBe('TELEGRAM_LENGTH')
  expect(await catchCode(at.platform.send(out(' \n\t ')))).toBe('TELEGRAM_LENGTH')
  await at.platform.send(out('😀'.repeat(2048)))
  expect(at.fake.deliveries().map(({ visible }) => visible)).toEqual(['😀'.repeat(2048)])
})

test('marks that Telegram does not understand are left out, and the words arrive', async () => {
  await using at = await bot()
  await at.platform.send(out('<b>fish &amp; <i>chips</b> a &lt; b'))
  expect(at.fake.deliveries().map(({ visible }) => visible)).toEqual(['fish & chips a < b'])
})

test('an edit of a message of Telegram that changes nothing is done', async () => {
  await using at = await bot()
  const { messageId } = await at.platform.send(out('draft', { buttons: [{ value: 'a', label: 'A' }] }))
  const edit = { chatId: '1001', messageId, text: '<b>final</b>', isFinal: true }
  await at.platform.edit?.(edit)
  await at.platform.edit?.(edit)
  expect(at.fake.deliveries()).toMatchObject([{ visible: 'final', versions: ['draft', '<b>final</b>'], buttons: [] }])
  expect(await catchCode(at.platform.edit?.({ ...edit, messageId: '1' }) ?? Promise.resolve())).toBe('TELEGRAM_FAILED')
})

test('a message of Telegram goes to its topic and answers its question; the topic "General" has no id', async () => {
  await using at = await bot()
  at.fake.topic('1001', '77')
  await at.platform.send(out('one', { threadId: '77', replyTo: '12' }))
  await at.platform.send(out('two', { threadId: '1' }))
  expect(at.fake.deliveries().map(({ threadId, replyTo }) => [threadId, replyTo])).toEqual([
    ['77', '12'],
    [undefined, undefined],
  ])
})

test('a group of Telegram that has become another one is written to where it is now', async () => {
  const fake = await openStandIn()
  await using at = await bot({ fake })
  const { chatId } = fake.member({ group: 'family' })
  const now = fake.upgrade(chatId)
  await at.platform.send(out('one', { chatId }))
  await at.platform.send(out('two', { chatId }))
  expect(fake.deliveries().map((each) => each.chatId)).toEqual([now, now])
  await fake.close()
})

test('a chat that Telegram does not know is refused for good', async () => {
  await using at = await bot()
  expect(await catchCode(at.platform.send(out('hello', { chatId: 'nobody' })))).toBe('TELEGRAM_CHAT')
})

describe('files for Telegram', () => {
  const file = (mediaType: string, bytes = Buffer.from([0, 13, 10, 255, 45, 45])) => {
    return outboundFile('a "größe".bin', bytes, { mediaType })
  }

  test('a file arrives in Telegram byte for byte, with its name and the words that belong to it', async () => {
    await using at = await bot()
    at.fake.topic('1001', '7')
    await at.platform.send(out('<b>look</b>', { files: [file('application/zip')], threadId: '7' }))
    await at.platform.send(out('', { files: [file('image/png')] }))
    const bytes = Buffer.from([0, 13, 10, 255, 45, 45])
    expect(at.fake.deliveries()).toMatchObject([
      { visible: 'look', threadId: '7', files: [{ name: 'a "größe".bin', bytes }] },
      { visible: '', files: [{ bytes }] },
    ])
  })

  test('a caption over the limit of Telegram is refused before anything is sent', async () => {
    await using at = await bot()
    const long = out('w'.repeat(1025), { files: [file('image/png')] })
    expect(await catchCode(at.platform.send(long))).toBe('TELEGRAM_LENGTH')
    expect(at.fake.deliveries()).toEqual([])
  })

  test('pictures are seen in Telegram and sounds are heard, unless they are too large for that', () => {
    const kinds = ['image/png', 'image/svg+xml', 'audio/ogg; codecs=opus', 'audio/mpeg', 'video/mp4', 'text/plain']
    expect(
      kinds.map((mediaType) =>
        getSendMethod(chooseMediaForm({ mediaType, kind: classifyMediaType(mediaType), size: 100 })),
      ),
    ).toEqual(['sendPhoto', 'sendDocument', 'sendVoice', 'sendAudio', 'sendVideo', 'sendDocument'])
    expect(chooseMediaForm({ mediaType: 'image/png', kind: 'image', size: 10_000_001 })).toBe('document')
    expect(chooseMediaForm({ mediaType: 'image/png', kind: 'document', size: 100 })).toBe('document')
    expect(chooseMediaForm({ mediaType: 'audio/mpeg', kind: 'audio', size: 100, isVoice: true })).toBe('voice')
  })

  test('a picture that Telegram cannot show arrives as a file', async () => {
    await using at = await bot()
    at.fake.refusePhotos('Bad Request: PHOTO_INVALID_DIMENSIONS')
    await at.platform.send(out('a very long strip', { files: [file('image/png')] }))
    expect(at.fake.deliveries()).toMatchObject([{ visible: 'a very long strip', files: [{ field: 'document' }] }])
  })

  test('every kind of file is taken by the method that is for it', async () => {
    await using at = await bot()
    const kinds = ['image/png', 'audio/ogg', 'audio/mpeg', 'video/mp4', 'text/plain']
    for (const kind of kinds) await at.platform.send(out(kind, { files: [file(kind)] }))
    expect(at.fake.deliveries().map(({ visible }) => visible)).toEqual(kinds)
  })
})

test('whatever a text holds, Telegram shows it as it is, marked or in code', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 })
  fc.assert(
    fc.property(text, text, fc.webUrl({ withQueryParameters: true }), (words, language, address) => {
      const { escape: safe = String, escapeAddress = String } = html
      const marked = [
        `${html.bold?.[0]}${safe(words)}${html.bold?.[1]}`,
        html.fence?.(safe(words), language) ?? '',
        html.quote?.(safe(words)) ?? '',
        html.link?.(safe(words), escapeAddress(`${address}"&<>`)) ?? '',
      ]
      for (const each of marked) {
        expect(readHtml(each)).toEqual({ visible: words })
        expect(withoutMarks(each)).toBe(words)
      }
    }),
  )
})
