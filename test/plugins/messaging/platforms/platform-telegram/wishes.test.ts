/** Edits, stickers, a server of one's own, previews, and messages without a sound. */
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InboundFile } from 'svc/sdk/platform'
import { outboundFile } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-telegram/stand-in/service.ts'
import { catchCode, createStages } from '../../../../support/platform-stage.ts'
import { temporaryFolder } from '../../../../support/temporary.ts'

const { connected: bot, stage } = createStages('telegram', openStandIn)
const never = new AbortController().signal

describe('an edit in Telegram', () => {
  test('is read as another message, with what it said before, and can be answered and edited again', async () => {
    await using at = await bot()
    const ada = at.fake.member()
    const messageId = await ada.say('what is 2+2?')
    await expect.poll(() => at.ear.texts).toEqual(['what is 2+2?'])
    at.fake.edit(ada, messageId, 'what is 2+3?')
    at.fake.edit(ada, messageId, 'what is 2+4?')
    await expect.poll(() => at.ear.texts.slice(1)).toEqual(['Edited: what is 2+3?', 'Edited: what is 2+4?'])
    const [, first, second] = at.ear.received
    expect(first).toMatchObject({ userId: ada.userId, quote: { messageId, text: 'what is 2+2?' } })
    expect(second?.quote).toEqual({ messageId, text: 'what is 2+3?' })
    expect(new Set(at.ear.received.map((each) => each.messageId)).size).toBe(3)
    const answer = { chatId: ada.chatId, text: 'six', key: 'k', replyTo: second?.messageId ?? '' }
    await at.platform.send(answer)
    expect(at.fake.deliveries()[0]?.replyTo).toBe(messageId)
    const reaction = {
      chatId: ada.chatId,
      messageId: second?.messageId ?? '',
      state: 'done',
      before: undefined,
    } as const
    await at.platform.react?.(reaction)
    expect(at.fake.reactions?.().at(-1)).toMatchObject({ messageId })
  })

  test('that could not be taken comes again as it was', async () => {
    await using at = await bot()
    const ada = at.fake.member()
    const messageId = await ada.say('one')
    await expect.poll(() => at.ear.texts).toEqual(['one'])
    at.ear.refuse = 1
    at.fake.edit(ada, messageId, 'two')
    await expect
      .poll(() => at.ear.received.at(-1), { timeout: 5000 })
      .toMatchObject({ text: 'Edited: two', quote: { text: 'one' } })
  })

  test.for([
    ['says the same', {}, 'hello', {}],
    ['is a command now', {}, '/stop', {}],
    ['comes too late', {}, 'other', { edit_date: Math.floor(Date.now() / 1000) + 400 }],
    ['when edits are not read', { edit_minutes: 0 }, 'other', {}],
  ] as const)('that %s is not read', async ([, config, text, more]) => {
    await using at = await bot({ config })
    const ada = at.fake.member({ userId: '42' })
    const messageId = await ada.say('hello')
    await expect.poll(() => at.ear.texts).toEqual(['hello'])
    const date = Math.floor(Date.now() / 1000)
    const chat = { id: 42, type: 'private' }
    const from = { id: 42, is_bot: false, first_name: 'Ada' }
    const edited = { message_id: Number(messageId), date, edit_date: date, chat, from, text, ...more }
    at.fake.push({ edited_message: edited })
    at.fake.push({ edited_message: { ...edited, message_id: 9_999, text: 'never seen' } })
    await ada.say('the end')
    await expect.poll(() => at.ear.texts).toEqual(['hello', 'the end'])
  })
})

test('a sticker is its emoji, its set and, when it does not move, its picture', async () => {
  await using at = await bot()
  const ada = at.fake.member()
  at.fake.sticker(ada, { emoji: '🐱', set_name: 'GoodCats' }, Buffer.from('WEBP'))
  at.fake.sticker(ada, { emoji: '🎉', is_animated: true }, Buffer.from('TGS'))
  await expect.poll(() => at.ear.texts).toEqual(['Sticker 🐱 (GoodCats)', 'Sticker 🎉'])
  const [still, moving] = at.ear.received
  expect(still?.files).toMatchObject([{ name: 'sticker.webp', mediaType: 'image/webp', size: 4 }])
  expect(moving?.files).toBeUndefined()
})

describe('a Bot API server with --local', () => {
  async function local() {
    const folder = temporaryFolder()
    const fake = await openStandIn({ localFolder: folder })
    const at = await bot({ fake })
    const fetch = (file: InboundFile, maxBytes = 0) => at.platform.fetch?.(file, { maxBytes, signal: never })
    return { folder, fake, at, fetch }
  }

  test('gives files by their path, also those over 20 MB', async () => {
    const { fake, at, fetch } = await local()
    const bytes = Buffer.alloc(20_000_001, 'x')
    await fake.member().say('', { files: [{ name: 'film.mkv', mediaType: 'video/x-matroska', bytes }] })
    await expect.poll(() => at.ear.received).toHaveLength(1)
    const [file] = at.ear.received[0]?.files ?? []
    if (!file) throw new Error('there is no file')
    expect((await fetch(file))?.length).toBe(20_000_001)
    expect(await catchCode(fetch(file, 1000))).toBe('PLATFORM_FILE_LARGE')
    await fake.close()
  })

  test.for([
    ['a path outside of its folder', '/etc/hostname'],
    ['a path that leads out', '../outside'],
    ['a link that leads out', 'link'],
    ['a file that is gone', 'gone'],
  ] as const)('is not believed with %s', async ([, name]) => {
    const { folder, fake, at, fetch } = await local()
    const outside = join(temporaryFolder(), 'secret')
    writeFileSync(outside, 'secret')
    symlinkSync(outside, join(folder, 'link'))
    const path = name.startsWith('/') ? name : join(folder, name)
    fake.lie(path)
    await fake.member().say('', { files: [{ name: 'a.txt', mediaType: 'text/plain', bytes: Buffer.from('a') }] })
    await expect.poll(() => at.ear.received).toHaveLength(1)
    const [file] = at.ear.received[0]?.files ?? []
    expect(await catchCode(file && fetch(file))).toBe('TELEGRAM_FILE')
    await fake.close()
  })

  test('is asked for with its address only', async () => {
    const own = { base_url: 'https://api.telegram.org', local_mode: true }
    await using at = await stage({ config: own })
    expect(at.platform.missing?.()).toContain('base_url')
  })
})

test.for([
  ['off', { is_disabled: true }],
  ['small', { prefer_small_media: true }],
  ['large', { prefer_large_media: true }],
] as const)('previews of links are "%s" in messages and edits', async ([previews, options]) => {
  await using at = await bot({ config: { link_previews: previews } })
  if (previews !== 'off') at.fake.allowPreviews()
  const { chatId } = at.fake.member()
  const { messageId } = await at.platform.send({ chatId, text: 'https://x.example', key: 'k' })
  await at.platform.edit?.({ chatId, messageId, text: 'https://y.example', isFinal: true })
  expect(at.fake.calls.map((call) => call['link_preview_options'])).toEqual([options, options])
})

test.for([
  ['off', [undefined, undefined, undefined]],
  ['groups', [undefined, true, undefined]],
  ['all', [true, true, 'true']],
] as const)('messages without a sound: %s', async ([silent, expected]) => {
  await using at = await bot({ config: { silent } })
  const [alone, group] = [at.fake.member(), at.fake.member({ group: 'lab' })]
  await at.platform.send({ chatId: alone.chatId, text: 'one', key: '1' })
  await at.platform.send({ chatId: group.chatId, text: 'two', key: '2' })
  const files = [outboundFile('a.png', 'a', { mediaType: 'image/png' })]
  await at.platform.send({ chatId: alone.chatId, text: '', key: '3', files })
  expect(at.fake.calls.map((call) => call['disable_notification'])).toEqual(expected)
})
