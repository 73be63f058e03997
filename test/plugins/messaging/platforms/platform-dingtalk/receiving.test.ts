import { virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { readBotMessage, toInbound } from '../../../../../plugins/messaging/platforms/platform-dingtalk/inbound.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-dingtalk/stand-in/service.ts'
import { Webhooks } from '../../../../../plugins/messaging/platforms/platform-dingtalk/webhooks.ts'
import { createStages, Ear } from '../../../../support/platform-stage.ts'

const { connected } = createStages('dingtalk', openStandIn)

const said = (more: object) => ({
  msgId: 'm1',
  msgtype: 'text',
  conversationId: 'cidABC==',
  conversationType: '2',
  senderId: '$:LWCP_v1:$x',
  senderStaffId: 'ada01',
  chatbotUserId: '$:LWCP_v1:$robot',
  text: { content: ' hi ' },
  ...more,
})
const read = (more: object) => {
  const message = readBotMessage(said(more))
  return message && toInbound(message)
}

test('a chat with one person goes by the person, a group by its conversation', () => {
  expect(read({ conversationType: '1' })).toMatchObject({
    chatId: 'ada01',
    userId: 'ada01',
    chatKind: 'dm',
    text: 'hi',
  })
  expect(read({ isInAtList: true })).toMatchObject({ chatId: 'cidABC==', chatKind: 'group', isMention: true })
  expect(read({ isInAtList: false })).toMatchObject({ isMention: false })
  expect(read({ senderStaffId: undefined })).toMatchObject({ userId: '$:LWCP_v1:$x' })
})

test('pictures, rich text, files and speech are understood', () => {
  const content = (msgtype: string, more: object) => read({ msgtype, text: null, content: more })
  expect(content('picture', { downloadCode: 'c' })).toMatchObject({ text: '', files: [{ ref: 'c' }] })
  const richText = [{ text: 'look ' }, { type: 'picture', downloadCode: 'p' }, { text: 'here' }]
  expect(content('richText', { richText })).toMatchObject({
    text: 'look here',
    files: [{ ref: 'p', name: 'picture-2.png' }],
  })
  expect(content('file', { downloadCode: 'f', fileName: 'plan.pdf' })).toMatchObject({
    files: [{ ref: 'f', name: 'plan.pdf' }],
  })
  expect(content('audio', { downloadCode: 'a', recognition: 'good morning' })).toMatchObject({
    ...{ text: 'good morning', files: [{ ref: 'a', isVoice: true, isTranscribed: true }] },
  })
  expect(content('audio', { downloadCode: 'a' })).toMatchObject({ text: '', files: [{ ref: 'a', isVoice: true }] })
})

test('what is malformed, empty, or the own word of the robot, is no message', () => {
  expect(read({ text: { content: '  ' } })).toBeUndefined()
  expect(read({ text: 7 })).toBeUndefined()
  expect(read({ msgId: '' })).toBeUndefined()
  expect(read({ conversationId: undefined })).toBeUndefined()
  expect(read({ senderId: undefined, senderStaffId: undefined })).toBeUndefined()
  expect(read({ senderId: '$:LWCP_v1:$robot' })).toBeUndefined()
  for (const odd of [undefined, null, 'text', 7, []]) expect(readBotMessage(odd)).toBeUndefined()
})

test('frames that are nonsense do no harm, pings are answered, unknown topics refused', async () => {
  const { fake, ear } = await connected()
  const frame = (type: string, topic: string, data: string) =>
    fake.push({ type, headers: { topic, messageId: '1' }, data })
  for (const text of ['', 'not json {', '[]', 'null', '{"type":"CALLBACK"}', '{"type":7,"headers":{}}']) fake.push(text)
  frame('SYSTEM', 'ping', '{"opaque":"1"}')
  frame('CALLBACK', '/v1.0/card/instances/callback', '{}')
  frame('EVENT', '*', '{}')
  frame('SYSTEM', 'unheard of', '{}')
  frame('CALLBACK', '/v1.0/im/bot/messages/get', 'not json {')
  await fake.member().say('still here')
  await vi.waitFor(() => expect(ear.texts).toEqual(['still here']))
  await vi.waitFor(() => expect([...fake.acks].sort()).toEqual([200, 200, 200, 404, 404]))
  expect(ear.losses).toEqual([])
  expect(ear.lives).toBeGreaterThan(5)
})

test('a message is answered to the stream only when it is safe, and is tried until then in its order', async () => {
  const { fake, ear } = await connected()
  ear.refuse = 2
  await fake.member().say('one')
  await fake.member().say('two')
  await vi.waitFor(() => expect(ear.refuse).toBeLessThan(2))
  expect(fake.acks).toEqual([])
  await vi.waitFor(() => expect(ear.texts).toEqual(['one', 'two']), 6000)
  await vi.waitFor(() => expect(fake.acks).toEqual([200, 200]))
})

test('a message that was not taken when its stream broke is handed over by the next one', async () => {
  const { fake, platform, ear } = await connected()
  ear.refuse = 1000
  await fake.member().say('one')
  await fake.member().say('two')
  await vi.waitFor(() => expect(ear.refuse).toBeLessThan(1000))
  fake.disturb('flap')
  await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
  const again = new Ear()
  await platform.connect(again)
  await fake.member().say('three')
  // DingTalk may push them again as well: the gateway knows them by their ids.
  await vi.waitFor(() => expect([...new Set(again.texts)]).toEqual(['one', 'two', 'three']))
})

test('a message that was not taken before the process ended is pushed again, and taken by the next one', async () => {
  const { fake, ear, close } = await connected()
  ear.refuse = 1000
  const id = await fake.member().say('one')
  await vi.waitFor(() => expect(ear.refuse).toBeLessThan(1000))
  await close()
  const next = await connected({ fake })
  await vi.waitFor(() => expect(next.ear.received).toMatchObject([{ text: 'one', messageId: id }]))
  await vi.waitFor(() => expect(fake.acks).toEqual([200]))
})

test('a message that is pushed again while it waits keeps its id, and one that was taken is not pushed again', async () => {
  const { fake, ear } = await connected()
  await fake.member().say('taken')
  await vi.waitFor(() => expect(fake.acks).toEqual([200]))
  ear.refuse = 1
  const id = await fake.member().say('waits')
  await vi.waitFor(() => expect(ear.refuse).toBe(0))
  fake.pushAgain()
  await vi.waitFor(() => expect(ear.texts).toEqual(['taken', 'waits', 'waits']))
  expect(ear.received.slice(1).map(({ messageId }) => messageId)).toEqual([id, id])
})

test('what was said while no stream was open comes with the opening of the next', async () => {
  const { fake, platform, ear } = await connected()
  for (let at = 0; at < 5; at++) {
    fake.disturb('flap')
    await fake.member().say(`gap ${at}`)
    await vi.waitFor(() => expect(ear.losses).toHaveLength(at + 1))
    await platform.connect(ear)
    await vi.waitFor(() => expect(ear.texts.at(-1)).toBe(`gap ${at}`))
  }
})

test('a message of DingTalk that is delivered twice, or late, keeps its id', async () => {
  const { fake, platform, ear } = await connected()
  const ada = fake.member()
  fake.disturb('twice')
  const id = await ada.say('again')
  await vi.waitFor(() => expect(ear.received.map(({ messageId }) => messageId)).toEqual([id, id]))
  fake.disturb('late')
  await ada.say('slow')
  await ada.say('quick')
  await vi.waitFor(() => expect(ear.texts.slice(-2)).toEqual(['quick', 'slow']))
  expect(platform.limits.duplicateWindowMs).toBe(300_000)
})

test('a stream that DingTalk wants to end, or that is cut, is told once and can be made again', async () => {
  const { fake, platform, ear } = await connected()
  fake.askToLeave()
  await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
  expect(ear.losses[0]?.final).toBeUndefined()
  const again = new Ear()
  await platform.connect(again)
  expect(await platform.probe()).toBe(true)
  fake.disturb('flap')
  await vi.waitFor(() => expect(again.losses).toHaveLength(1))
  expect(await platform.probe()).toBe(false)
  await platform.connect(again)
  await fake.member().say('hi')
  await vi.waitFor(() => expect(again.texts).toEqual(['hi']))
  expect([ear.losses.length, again.losses.length]).toEqual([1, 1])
})

test('a stream that says nothing any more fails its probe', async () => {
  const clock = virtualClock()
  const { fake, platform } = await connected({ clock })
  expect(await platform.probe()).toBe(true)
  fake.disturb('silence')
  const probe = platform.probe()
  await clock.advance(6000)
  expect(await probe).toBe(false)
})

test('a file of DingTalk is fetched through its code, and too large ones are not', async () => {
  const { fake, platform, ear } = await connected()
  const bytes = Buffer.from('%PDF-1.7 and more')
  await fake.member().say('', { files: [{ name: 'plan.pdf', mediaType: 'application/pdf', bytes }] })
  await vi.waitFor(() => expect(ear.received).toHaveLength(1))
  const [file] = ear.received[0]?.files ?? []
  if (!file) throw new Error('no file came')
  const { signal } = ear
  expect(Buffer.from((await platform.fetch?.(file, { maxBytes: 100, signal })) ?? [])).toEqual(bytes)
  await expect(platform.fetch?.(file, { maxBytes: 5, signal })).rejects.toMatchObject({ code: 'PLATFORM_FILE_LARGE' })
  const gone = { ...file, ref: 'ended' }
  await expect(platform.fetch?.(gone, { maxBytes: 0, signal })).rejects.toMatchObject({ code: 'DINGTALK_FAILED' })
})

test('addresses to answer at are those of DingTalk, end in time, and are not more than 500', async () => {
  const clock = virtualClock()
  const webhooks = new Webhooks(() => clock, ['http://127.0.0.1:9/'])
  const until = clock.now() + 60_000
  for (const bad of [
    'http://oapi.dingtalk.com/robot',
    'https://oapi.dingtalk.com.evil.example/robot',
    'https://oapi.dingtalk.com@evil.example/robot',
    'https://oapi.dingtalk.com:8443/robot',
    'https://evil.example/?oapi.dingtalk.com',
    'file:///etc/passwd',
    'http://127.0.0.1:10/',
    'nonsense',
  ])
    expect([bad, webhooks.keep('chat', bad, until)]).toEqual([bad, false])
  expect(webhooks.of('chat')).toBeUndefined()
  expect(webhooks.keep('chat', 'https://oapi.dingtalk.com/robot/sendBySession?session=1', until)).toBe(true)
  expect(webhooks.keep('own', 'http://127.0.0.1:9/robot', until)).toBe(true)
  expect(webhooks.of('chat')).toContain('session=1')
  await clock.advance(55_000)
  expect(webhooks.of('chat')).toBeUndefined()
  for (let at = 0; at < 501; at++) webhooks.keep(`chat ${at}`, 'https://api.dingtalk.com/x', until + 60_000)
  expect([webhooks.of('chat 0'), webhooks.of('chat 1')]).toEqual([undefined, 'https://api.dingtalk.com/x'])
})
