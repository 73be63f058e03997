import type { InlinePlugin } from 'svc'
import { type CommandSurface, SlashCommands } from 'svc/sdk'
import { StandInServer } from 'svc/sdk/kit/stand-in'
import { classifyDeliveryError, type OutboundMessage } from 'svc/sdk/platform'
import { platformContract, virtualClock } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-telegram/stand-in/service.ts'
import { catchCode, createStages } from '../../../../support/platform-stage.ts'

const { connected: bot, contract, stage } = createStages('telegram', openStandIn)

const out = (text: string, more: Partial<OutboundMessage> = {}): OutboundMessage => ({
  chatId: '1001',
  text,
  key: 'key-1',
  ...more,
})
const never = new AbortController().signal

describe('Telegram keeps the contract of platforms', () => {
  for (const { name, run } of platformContract(() => contract())) test(name, run)
})

describe('reading Telegram', () => {
  test('a message of a private chat of Telegram says who wrote it, and when', async () => {
    await using at = await bot()
    const messageId = await at.fake.member({ userId: '42' }).say('hello')
    await expect.poll(() => at.ear.received).toHaveLength(1)
    expect(at.ear.received[0]).toMatchObject({
      platform: 'telegram',
      chatId: '42',
      userId: '42',
      chatKind: 'dm',
      userName: 'Person 42',
      messageId,
      text: 'hello',
    })
    expect(Math.abs((at.ear.received[0]?.at ?? 0) - Date.now())).toBeLessThan(60_000)
  })

  test('in a group of Telegram the bot is addressed by its name, by a command, and by an answer to it', async () => {
    await using at = await bot()
    const member = at.fake.member({ group: 'family' })
    const { messageId } = await at.platform.send(out('I am here', { chatId: member.chatId }))
    await member.say('just talking')
    await member.say('what is for dinner?', { mention: true })
    await member.say('and then?', { quote: messageId })
    await member.say('/new@svc_test_bot now')
    await member.say('/new@another_bot')
    await member.say('the end', { threadId: '77' })
    await expect.poll(() => at.ear.received).toHaveLength(5)
    expect(at.ear.received.map(({ text, isMention, threadId }) => [text, isMention, threadId])).toEqual([
      ['just talking', false, undefined],
      ['what is for dinner?', true, undefined],
      ['and then?', true, undefined],
      ['/new now', true, undefined],
      ['the end', false, '77'],
    ])
    expect(at.ear.received[2]?.quote?.messageId).toBe(messageId)
    expect(new Set(at.ear.received.map(({ chatKind, chatName }) => `${chatKind} ${chatName}`))).toEqual(
      new Set(['group family']),
    )
  })

  test('what a hidden admin or a channel says in Telegram is not said by a bot, and its id is the group or channel', async () => {
    await using at = await bot()
    const chat = { id: -1009, type: 'supergroup', title: 'team' }
    const admin = { id: 1087968824, is_bot: true, first_name: 'Group', username: 'GroupAnonymousBot' }
    at.fake.push({ message: { message_id: 1, chat, from: admin, sender_chat: chat, text: 'as the group' } })
    at.fake.push({ message: { message_id: 2, chat, from: { ...admin, id: 5 }, text: 'as a bot' } })
    const channel = { id: -1010, type: 'channel', title: 'news' }
    at.fake.push({ channel_post: { message_id: 3, chat: channel, sender_chat: channel, text: 'as the channel' } })
    await expect.poll(() => at.ear.received).toHaveLength(3)
    expect(at.ear.received.map(({ userId, isBot, chatKind }) => [userId, isBot, chatKind])).toEqual([
      ['-1009', undefined, 'group'],
      ['5', true, 'group'],
      ['-1010', undefined, 'channel'],
    ])
  })

  test('joins, pins and updates that no one can read do not stop the messages of Telegram behind them', async () => {
    await using at = await bot()
    const chat = { id: 1001, type: 'private' }
    at.fake.push({ message: { message_id: 1, chat, new_chat_members: [] } })
    at.fake.push({ message: { message_id: 'no number', chat: 'no chat' } })
    at.fake.push({ poll: {} })
    await at.fake.member().say('still there?')
    await expect.poll(() => at.ear.texts).toEqual(['still there?'])
  })

  test('a message of Telegram that was not taken comes again, before those behind it', async () => {
    await using at = await bot()
    at.ear.refuse = 2
    await at.fake.member().say('one')
    await at.fake.member().say('two')
    await expect.poll(() => at.ear.texts, { timeout: 5000 }).toEqual(['one', 'two'])
  })

  test('a message of Telegram that could not be kept before the connection ended is there at the next one', async () => {
    const fake = await openStandIn()
    await using at = await bot({ fake })
    at.ear.most = 1
    await fake.member().say('kept')
    await expect.poll(() => at.ear.texts).toEqual(['kept'])
    await fake.member().say('not kept')
    await expect.poll(() => at.ear.refused).toBeGreaterThan(0)
    await at.platform.close()
    at.ear.most = 9
    await at.platform.connect(at.ear)
    await expect.poll(() => at.ear.texts).toEqual(['kept', 'not kept'])
    await fake.close()
  })

  test('an answer outside of topics belongs to the chat, though Telegram counts it to a thread', async () => {
    await using at = await bot()
    const chat = { id: -1009, type: 'supergroup', title: 'team' }
    const from = { id: 42, first_name: 'Ada' }
    at.fake.push({ message: { message_id: 1, date: 1, chat, from, text: 'chained', message_thread_id: 17 } })
    at.fake.push({
      message: { message_id: 2, date: 1, chat, from, text: 'topic', message_thread_id: 18, is_topic_message: true },
    })
    await expect
      .poll(() => at.ear.received.map(({ text, threadId }) => [text, threadId]))
      .toEqual([
        ['chained', undefined],
        ['topic', '18'],
      ])
  })

  test('the bot does not hear itself, also where Telegram hands it its own words', async () => {
    await using at = await bot()
    const chat = { id: 1001, type: 'private' }
    const me = { id: 7000001, is_bot: true, first_name: 'svc', username: 'svc_test_bot' }
    at.fake.push({ message: { message_id: 1, date: 1, chat, from: me, text: 'said by svc' } })
    await at.fake.member().say('said by somebody')
    await expect.poll(() => at.ear.texts).toEqual(['said by somebody'])
  })

  test('what was written while svc was away is read from Telegram, and what was taken is not read twice', async () => {
    const fake = await openStandIn()
    {
      await using at = await bot({ fake })
      await fake.member().say('before')
      await expect.poll(() => at.ear.texts).toEqual(['before'])
      await fake.member().say('last')
      await expect.poll(() => at.ear.texts).toEqual(['before', 'last'])
    }
    await fake.member().say('meanwhile')
    await using again = await bot({ fake })
    await expect.poll(() => again.ear.texts).toContain('meanwhile')
    // Telegram need not have been told of the last one before the end: the gateway knows it by its id.
    expect(again.ear.texts.filter((text) => text !== 'last')).toEqual(['meanwhile'])
    await fake.close()
  })

  test('a photo, a voice message and a document of Telegram are read when they are wanted', async () => {
    await using at = await bot()
    const member = at.fake.member()
    const bytes = Buffer.from('0123456789')
    await member.say('look', { files: [{ name: 'x.png', mediaType: 'image/png', bytes }] })
    await member.say('', { files: [{ name: 'x.ogg', mediaType: 'audio/ogg', bytes }] })
    await member.say('read', { files: [{ name: 'größe.txt', mediaType: 'text/plain', bytes }] })
    await expect.poll(() => at.ear.received).toHaveLength(3)
    const files = at.ear.received.map(({ files: [file] = [] }) => file)
    expect(files.map((file) => [file?.name, file?.mediaType, file?.size, file?.isVoice])).toEqual([
      ['photo.jpg', 'image/jpeg', 10, undefined],
      ['voice.ogg', 'audio/ogg', 10, true],
      ['größe.txt', 'text/plain', 10, undefined],
    ])
    const [photo] = files
    if (!photo || !at.platform.fetch) throw new Error('no file came')
    expect(String(await at.platform.fetch(photo, { maxBytes: 10, signal: never }))).toBe('0123456789')
    const { size: _, ...unknown } = photo
    expect(await catchCode(at.platform.fetch(photo, { maxBytes: 9, signal: never }))).toBe('PLATFORM_FILE_LARGE')
    expect(await catchCode(at.platform.fetch(unknown, { maxBytes: 9, signal: never }))).toBe('PLATFORM_FILE_LARGE')
    const gone = { ...photo, ref: 'gone' }
    expect(await catchCode(at.platform.fetch(gone, { maxBytes: 0, signal: never }))).toBe('TELEGRAM_FILE')
  })

  test('a button of Telegram that is pressed says which one, and is no longer busy once that is safe', async () => {
    await using at = await bot()
    const buttons = [
      { value: 'yes:1', label: 'Yes, do that' },
      { value: 'no:1', label: 'No' },
    ]
    at.fake.topic('1001', '5')
    await at.platform.send(out('Shall I?', { buttons, threadId: '5' }))
    expect(at.fake.deliveries()[0]?.buttons).toEqual(['Yes, do that', 'No'])
    at.ear.refuse = 1
    await at.fake.member().press?.('No')
    await expect
      .poll(() => at.ear.received)
      .toMatchObject([{ press: 'no:1', text: 'No', userId: '1001', threadId: '5' }])
    await expect.poll(() => at.fake.answered).toHaveLength(1)
  })
})

describe('the connection to Telegram', () => {
  test('a connection to Telegram that breaks loses nothing, whether it is noticed or made again in silence', async () => {
    await using at = await bot()
    at.fake.disturb('flap')
    await at.fake.member().say('hello?')
    await expect.poll(() => at.ear.losses.length + at.ear.texts.length).toBeGreaterThan(0)
    if (at.ear.losses.length > 0) await at.platform.connect(at.ear)
    await expect.poll(() => at.ear.texts).toEqual(['hello?'])
    expect(at.ear.losses.filter(({ final }) => final)).toEqual([])
  })

  test.for([
    ['the token of another bot', '7000002:AAF-another'],
    ['something that is no token', 'not a token/../getMe'],
  ])('%s ends the attempts to reach Telegram and says what to set', async ([, token]) => {
    await using at = await stage({ env: { TELEGRAM_BOT_TOKEN: token } })
    const attempt = at.platform.connect(at.ear)
    await expect(attempt).rejects.toThrow(/TELEGRAM_BOT_TOKEN/)
    await expect(attempt).rejects.toMatchObject({ code: 'TELEGRAM_UNAUTHORIZED' })
    expect(classifyDeliveryError(await attempt.catch((error: unknown) => error)).kind).toBe('refused')
  })

  test('a bot of Telegram whose token is withdrawn is lost for good, whether it reads or writes', async () => {
    await using at = await bot()
    at.fake.disturb('logout')
    await expect.poll(() => at.ear.losses).toHaveLength(1)
    expect(await catchCode(at.platform.connect(at.ear))).toBe('TELEGRAM_UNAUTHORIZED')
  })

  test('without a token Telegram is not connected', async () => {
    await using at = await stage({ env: { TELEGRAM_BOT_TOKEN: '  ' } })
    expect(at.platform.missing?.()).toContain('TELEGRAM_BOT_TOKEN')
  })

  test('a moment of conflict is survived, a second program on one bot of Telegram is said and final', async () => {
    const clock = virtualClock()
    await using at = await bot({ clock })
    await at.fake.rival()
    await at.fake.member().say('still here')
    for (let waited = 0; waited < 200 && at.ear.texts.length === 0; waited++) await pass(clock, 1000)
    expect([at.ear.texts, at.ear.losses]).toEqual([['still here'], []])
    for (let waited = 0; waited < 200 && at.ear.losses.length === 0; waited++) {
      await at.fake.rival()
      await pass(clock, 4000)
    }
    expect(at.ear.losses).toMatchObject([{ final: true, code: 'telegram_conflict' }])
    expect(at.ear.losses[0]?.reason).toContain('Another program reads')
  })

  test('after a silent week Telegram counts its updates again, and they are read all the same', async () => {
    const clock = virtualClock()
    await using at = await bot({ clock })
    await at.fake.member().say('before')
    await expect.poll(() => at.ear.texts).toEqual(['before'])
    await at.platform.close()
    await clock.advance(7 * 86_400_000)
    at.fake.push({ update_id: 5, message: { message_id: 9, chat: { id: 1, type: 'private' }, text: 'after' } })
    await at.platform.connect(at.ear)
    await expect.poll(() => at.ear.texts).toContain('after')
  })

  test.for([
    ['a web page', { body: '<html>Welcome</html>' }, 'base_url'],
    ['an answer of something else', { body: { ok: true, result: 'hello' } }, 'base_url'],
    ['a fault of the service', { status: 502, body: '<html>Bad Gateway</html>' }, '502'],
  ] as const)('%s in the place of Telegram is tried again, and it is said what to check', async ([, answer, hint]) => {
    const service = await StandInServer.open(() => answer)
    await using at = await stage({ config: { base_url: service.url } })
    const error = await at.platform.connect(at.ear).catch((reason: Error) => reason)
    expect(String(error)).toContain(hint)
    expect(classifyDeliveryError(error).kind).toBe('busy')
    await service.close()
  })

  test('Telegram shows the commands of svc in its menu, by names that it takes and svc understands', async () => {
    const command = (name: string, surfaces: readonly CommandSurface[]) => {
      return { name, description: `Does ${name}.`, category: 'Info', surfaces, run: async () => undefined }
    }
    const commands: InlinePlugin = {
      name: 'some-commands',
      contributes: { 'slash-commands': ['reload-all', 'quit'] },
      setup(ctx) {
        ctx.add(SlashCommands, command('reload-all', ['gateway']))
        ctx.add(SlashCommands, command('quit', ['cli']))
      },
    }
    await using at = await bot({ with: [commands] })
    await at.showMenu()
    expect(at.fake.commands).toEqual(['reload_all'])
  })
})

/** Lets time pass, and what happened on loopback arrive. */
async function pass(clock: ReturnType<typeof virtualClock>, ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 10))
  await clock.advance(ms)
  await new Promise((resolve) => setTimeout(resolve, 10))
}
