import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { outboundFile, virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-matrix/stand-in/service.ts'
import { createStages, Ear } from '../../../../support/platform-stage.ts'

const { connected } = createStages('matrix', openStandIn)

test('what was said before Matrix was connected for the first time is not answered', async () => {
  const fake = await openStandIn()
  const ada = fake.member()
  await ada.say('long ago')
  const { ear } = await connected({ fake })
  await ada.say('now')
  await vi.waitFor(() => expect(ear.texts).toEqual(['now']))
  await fake.close()
})

test('what was said in a room of Matrix while svc was away is handed over when it is back', async () => {
  const fake = await openStandIn()
  const ada = fake.member()
  const cursors = new Map<string, string>()
  const first = await connected({ fake, cursors })
  await ada.say('one')
  await vi.waitFor(() => expect(first.ear.texts).toEqual(['one']))
  await vi.waitFor(() => expect([...cursors.values()].join()).toContain('s1'))
  await first.close()
  for (const text of ['two', 'three']) await ada.say(text)
  const { ear } = await connected({ fake, cursors })
  await vi.waitFor(() => expect(ear.texts).toEqual(['two', 'three']))
  await fake.close()
})

test('more than one answer of the homeserver holds is read back without a gap, oldest first', async () => {
  const cursors = new Map<string, string>()
  const { fake, platform, ear } = await connected({ cursors })
  const ada = fake.member()
  await ada.say('first')
  await vi.waitFor(() => expect(ear.texts).toEqual(['first']))
  await platform.close()
  const texts = Array.from({ length: 130 }, (_, at) => `message ${at}`)
  for (const text of texts) await ada.say(text)
  fake.timelineLimit = 20
  const again = new Ear(cursors)
  await platform.connect(again)
  await vi.waitFor(() => expect(again.texts).toHaveLength(130))
  expect(again.texts).toEqual(texts)
})

test('a message of Matrix that could not be taken is read again before the one behind it', async () => {
  const { fake, ear } = await connected()
  const ada = fake.member()
  ear.refuse = 2
  await ada.say('one')
  await ada.say('two')
  await vi.waitFor(() => expect(ear.texts).toEqual(['one', 'two']), 6000)
})

test('a chat with one person is told from a group, and who was addressed', async () => {
  const { fake, ear } = await connected()
  await fake.member().say('hello')
  const crowd = fake.member({ group: 'crowd' })
  await crowd.say('just chatting')
  await crowd.say('what do you think?', { mention: true })
  await crowd.say('@svc:example.org: help')
  await vi.waitFor(() => expect(ear.received).toHaveLength(4))
  expect(ear.received.map(({ chatKind, isMention, text }) => [chatKind, isMention, text])).toEqual([
    ['dm', false, 'hello'],
    ['group', false, 'just chatting'],
    ['group', true, 'what do you think?'],
    ['group', true, 'help'],
  ])
})

test('an old client that mentions by name only is understood, and part of a word is no mention', async () => {
  const { fake, ear } = await connected()
  const crowd = fake.member({ group: 'crowd' })
  const say = (body: string) => fake.event(crowd, 'm.room.message', { msgtype: 'm.text', body })
  for (const body of ['Svc Agent: hi', 'ask svc agent about it', 'svc agents are many']) say(body)
  await vi.waitFor(() => expect(ear.received).toHaveLength(3))
  expect(ear.received.map(({ isMention, text }) => [isMention, text])).toEqual([
    [true, 'hi'],
    [true, 'ask svc agent about it'],
    [false, 'svc agents are many'],
  ])
})

test('an answer to what the agent said addresses it and quotes it; in threads the thread is kept', async () => {
  const { fake, platform, ear } = await connected()
  const crowd = fake.member({ group: 'crowd' })
  const { messageId } = await platform.send({ chatId: crowd.chatId, text: 'four', key: 'k' })
  await crowd.say('are you sure?', { quote: messageId })
  await crowd.say('in a thread', { threadId: messageId })
  await vi.waitFor(() => expect(ear.received).toHaveLength(2))
  expect(ear.received[0]).toMatchObject({ isMention: true, quote: { messageId, text: 'four' } })
  expect(ear.received[1]).toMatchObject({ isMention: false, threadId: messageId })
  expect(ear.received[1]?.quote).toBeUndefined()
})

test('the words of another that old clients put before a reply are left out', async () => {
  const { fake, ear } = await connected()
  const ada = fake.member()
  const quote = await ada.say('the question')
  const body = '> <@ada:example.org> the question\n> of two lines\n\nthe answer'
  fake.event(ada, 'm.room.message', {
    msgtype: 'm.text',
    body,
    'm.relates_to': { 'm.in_reply_to': { event_id: quote } },
  })
  await vi.waitFor(() => expect(ear.texts).toEqual(['the question', 'the answer']))
})

test('notices, edits, own words, state and malformed events of Matrix are not answered', async () => {
  const { fake, platform, ear } = await connected()
  const ada = fake.member()
  const id = await ada.say('a typo')
  await platform.send({ chatId: ada.chatId, text: 'mine', key: 'k' })
  const odd: Record<string, unknown>[] = [
    { msgtype: 'm.notice', body: 'a program says' },
    { msgtype: 'm.text', body: '* fixed', 'm.relates_to': { rel_type: 'm.replace', event_id: id } },
    {},
    { msgtype: 'm.text', body: 7 },
    { msgtype: 'm.text', body: '   \n ' },
    { msgtype: 'm.unheard.of', body: 'x' },
    { msgtype: 'm.image', body: 'x', url: 'https://evil.example/x' },
    { msgtype: 'm.image', body: 'x', url: 'mxc://../../etc' },
  ]
  for (const content of odd) fake.event(ada, 'm.room.message', content)
  fake.event(ada, 'm.room.topic', { topic: 'news' }, '')
  fake.event(ada, 'm.room.message', { msgtype: 'm.emote', body: 'waves', 'm.relates_to': null })
  await vi.waitFor(() => expect(ear.texts).toEqual(['a typo', '* waves']))
})

test('a file comes with its name, kind and caption, speech as such, and is fetched with the token', async () => {
  const { fake, platform, ear } = await connected()
  const ada = fake.member()
  const bytes = Buffer.from('%PDF-1.7')
  await ada.say('please read', { files: [{ name: 'plan.pdf', mediaType: 'application/pdf', bytes }] })
  fake.event(ada, 'm.room.message', {
    msgtype: 'm.audio',
    body: 'Voice message',
    url: 'mxc://example.org/media99',
    'org.matrix.msc3245.voice': {},
  })
  await vi.waitFor(() => expect(ear.received).toHaveLength(2))
  const [file] = ear.received[0]?.files ?? []
  expect(ear.received[0]).toMatchObject({ text: 'please read' })
  expect(file).toMatchObject({ name: 'plan.pdf', mediaType: 'application/pdf', size: 8 })
  expect(ear.received[1]?.files).toEqual([{ ref: 'mxc://example.org/media99', name: 'Voice message', isVoice: true }])
  if (!file) throw new Error('no file came')
  const { signal } = ear
  expect(Buffer.from((await platform.fetch?.(file, { maxBytes: 0, signal })) ?? [])).toEqual(bytes)
  const { size: _, ...unsized } = file
  await expect(platform.fetch?.(unsized, { maxBytes: 4, signal })).rejects.toMatchObject({
    code: 'PLATFORM_FILE_LARGE',
  })
  await expect(
    platform.fetch?.({ ref: 'mxc://example.org/gone', name: 'x' }, { maxBytes: 0, signal }),
  ).rejects.toMatchObject({ code: 'MATRIX_FAILED' })
})

test('with encryption off an encrypted room is warned of once in the log, and nothing is said there in clear', async () => {
  const { fake, platform, ear, kernel } = await connected()
  const ada = fake.member()
  fake.encrypt(ada)
  for (const _ of [1, 2, 3]) fake.event(ada, 'm.room.encrypted', { algorithm: 'm.megolm.v1.aes-sha2' })
  await ada.say('not read')
  const bob = fake.member({ userId: '@bob:example.org' })
  await bob.say('in clear')
  await vi.waitFor(() => expect(ear.texts).toEqual(['in clear']))
  const log = readFileSync(join(kernel.home, 'logs', 'svc.log'), 'utf8')
  expect(log.match(/encrypted end to end/g)).toHaveLength(1)
  expect(log).toContain('Set platforms.matrix.encryption to optional')
  const { chatId } = ada
  for (const work of [
    platform.send({ chatId, text: 'in clear?', key: '1' }),
    platform.send({ chatId, text: '', key: '2', files: [outboundFile('a.txt', 'a')] }),
    platform.edit?.({ chatId, messageId: '$1', text: 'in clear?', isFinal: true }),
  ])
    await expect(work).rejects.toMatchObject({ code: 'MATRIX_ENCRYPTED' })
  expect(fake.sentTypes()).toEqual([])
  expect(fake.asked('media/upload')).toBe(0)
})

test('a room of Matrix that was upgraded is followed, and one that names no successor is not', async () => {
  const { fake, ear } = await connected()
  const ada = fake.member()
  await ada.say('before')
  await vi.waitFor(() => expect(ear.texts).toEqual(['before']))
  const successor = fake.successor('@ada:example.org')
  fake.event(ada, 'm.room.tombstone', { body: 'gone' }, '')
  fake.event(ada, 'm.room.tombstone', { body: 'no state', replacement_room: successor })
  await ada.say('still here')
  await vi.waitFor(() => expect(ear.texts).toContain('still here'))
  expect(fake.isIn(successor)).toBe(false)
  fake.event(ada, 'm.room.tombstone', { body: 'moved', replacement_room: successor }, '')
  await vi.waitFor(() => expect(fake.isIn(successor)).toBe(true))
  const room = { chatId: successor, userId: '@ada:example.org', say: async () => '' }
  fake.event(room, 'm.room.message', { msgtype: 'm.text', body: 'after' })
  await vi.waitFor(() => expect(ear.texts.at(-1)).toBe('after'))
})

test('an invitation is followed when it is from someone who may write, and is left otherwise', async () => {
  const { fake, ear } = await connected({
    env: { MATRIX_ALLOW_ALL_USERS: undefined, MATRIX_ALLOWED_USERS: '@ada:example.org, @eve:x' },
  })
  const stranger = fake.invite('@mallory:example.org')
  const friend = fake.invite('@ada:example.org')
  await vi.waitFor(() => expect(fake.isIn(friend)).toBe(true))
  expect(fake.isIn(stranger)).toBe(false)
  const room = { chatId: friend, userId: '@ada:example.org', say: async () => '' }
  fake.event(room, 'm.room.message', { msgtype: 'm.text', body: 'welcome' })
  await vi.waitFor(() => expect(ear.texts).toEqual(['welcome']))
})

test('a message that is delivered twice, or late, has the id that the gateway knows it by', async () => {
  const { fake, ear } = await connected()
  const ada = fake.member()
  fake.disturb('twice')
  const id = await ada.say('again')
  await vi.waitFor(() => expect(ear.received.length).toBeGreaterThan(0))
  expect(new Set(ear.received.map(({ messageId }) => messageId))).toEqual(new Set([id]))
  fake.disturb('late')
  await ada.say('slow')
  await ada.say('quick')
  await vi.waitFor(() => expect(ear.texts.slice(-2)).toEqual(['quick', 'slow']))
})

test('an answer to a sync that is no JSON is said, and svc may connect again', async () => {
  const cursors = new Map<string, string>()
  const { fake, platform, ear } = await connected({ cursors })
  await vi.waitFor(() => expect(fake.connected()).toBe(true))
  fake.garble('<html>Bad gateway</html>')
  await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
  expect(ear.losses[0]?.reason).toContain('not JSON')
  expect(ear.losses[0]?.final).toBeUndefined()
  expect(await platform.probe()).toBe(false)
  const again = new Ear(cursors)
  await platform.connect(again)
  await fake.member().say('still here?')
  await vi.waitFor(() => expect(again.texts).toEqual(['still here?']))
})

test('a cut line of Matrix is told once, and nothing is lost when it is made again', async () => {
  const cursors = new Map<string, string>()
  const { fake, platform, ear } = await connected({ cursors })
  const ada = fake.member()
  // A first cut may be mended by the connection itself.
  await vi.waitFor(() => {
    fake.disturb('flap')
    expect(ear.losses).toHaveLength(1)
  })
  await ada.say('in between')
  const again = new Ear(cursors)
  await platform.connect(again)
  await vi.waitFor(() => expect(again.texts).toEqual(['in between']))
  expect([ear.losses.length, ear.texts]).toEqual([1, []])
})

test('a place that the homeserver does not know any more is given up for a new one', async () => {
  const fake = await openStandIn()
  const place = JSON.stringify({ since: 'from another server' })
  const cursors = new Map([[`${fake.config['homeserver']} @svc:example.org`, place]])
  const ada = fake.member()
  await ada.say('old')
  const { ear } = await connected({ fake, cursors })
  await vi.waitFor(() => expect(fake.connected()).toBe(true))
  await ada.say('new')
  await vi.waitFor(() => expect(ear.texts).toEqual(['new']))
})

test('a server of Matrix that hangs fails its probe, and is heard again when it is back', async () => {
  const clock = virtualClock()
  const cursors = new Map<string, string>()
  const { fake, platform } = await connected({ clock, cursors })
  expect(await platform.probe()).toBe(true)
  fake.disturb('silence')
  const probe = platform.probe()
  await clock.advance(11_000)
  expect(await probe).toBe(false)
  await platform.close()
  fake.calm()
  const again = new Ear(cursors)
  await platform.connect(again)
  await fake.member().say('back')
  await vi.waitFor(() => expect(again.texts).toEqual(['back']))
})
