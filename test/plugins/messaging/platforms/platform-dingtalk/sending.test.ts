import { setImmediate as round } from 'node:timers/promises'
import { classifyDeliveryError, type Platform } from 'svc/sdk/platform'
import { outboundFile, virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-dingtalk/stand-in/service.ts'
import { amr, mp3Frames, opus } from '../../../../support/pictures.ts'
import { createStages, type Stage } from '../../../../support/platform-stage.ts'

const { connected, stage } = createStages('dingtalk', openStandIn)

const ROBOT = '/v1.0/robot/oToMessages/batchSend'
const GROUP = '/v1.0/robot/groupMessages/send'
const SESSION = '/robot/sendBySession'

const catchFailure = (platform: Platform, chatId: string) =>
  platform.send({ chatId, text: 'hi', key: 'key' }).then(
    () => undefined,
    (error) => ({ ...classifyDeliveryError(error), code: error.code }),
  )

/** Someone who has written, so that there is an address to answer at. */
async function known({ fake, ear }: Stage) {
  const ada = fake.member()
  await ada.say('hi')
  await vi.waitFor(() => expect(ear.received).toHaveLength(1))
  return ada.chatId
}

test('an answer goes to the address that came with the message, as Markdown with a title', async () => {
  const set = await connected()
  const chatId = await known(set)
  await set.platform.send({ chatId, text: '# **Done**\nall of it', key: '1' })
  expect(set.fake.lastSend()).toEqual({
    path: SESSION,
    body: { msgtype: 'markdown', markdown: { title: 'Done', text: '# **Done**  \nall of it' } },
  })
})

test('without such an address the robot writes to the person, or to the group', async () => {
  const { fake, platform } = await connected()
  const { messageId } = await platform.send({ chatId: 'bob02', text: 'good morning', key: '1' })
  const msgParam = JSON.stringify({ title: 'good morning', text: 'good morning' })
  const body = { robotCode: 'dingfakeclientid01', msgKey: 'sampleMarkdown', msgParam }
  expect(fake.lastSend()).toEqual({ path: ROBOT, body: { ...body, userIds: ['bob02'] } })
  expect(messageId).toBe(fake.deliveries()[0]?.messageId)
  const { chatId } = fake.member({ group: 'crowd' })
  await platform.send({ chatId, text: 'good morning', key: '2' })
  expect(fake.lastSend()).toEqual({ path: GROUP, body: { ...body, openConversationId: chatId } })
  expect(fake.asked('/v1.0/oauth2/accessToken')).toBe(1)
})

test('when the address has ended the robot takes over, and does not ask there again', async () => {
  const set = await connected()
  const chatId = await known(set)
  set.fake.endWebhooks()
  for (const key of ['1', '2']) await set.platform.send({ chatId, text: 'hi', key })
  expect(set.fake.asked(SESSION)).toBe(1)
  expect(set.fake.asked(ROBOT)).toBe(2)
})

test('an address that is not of DingTalk is not answered at', async () => {
  const fake = await openStandIn()
  fake.webhookUrl = 'https://evil.example/robot/sendBySession?session=1'
  const set = await connected({ fake })
  const chatId = await known(set)
  await set.platform.send({ chatId, text: 'secret', key: '1' })
  expect(fake.lastSend().path).toBe(ROBOT)
  await fake.close()
})

test('an access token lasts until shortly before its end, and one that ended early is replaced', async () => {
  const clock = virtualClock()
  const { fake, platform } = await connected({ clock })
  const send = (key: string) => platform.send({ chatId: 'bob02', text: 'hi', key })
  await send('1')
  await clock.advance(6_000_000)
  await send('2')
  expect(fake.asked('/v1.0/oauth2/accessToken')).toBe(1)
  await clock.advance(1_000_000)
  await send('3')
  expect(fake.asked('/v1.0/oauth2/accessToken')).toBe(2)
  fake.endTokens()
  await send('4')
  expect(fake.asked('/v1.0/oauth2/accessToken')).toBe(3)
  expect(fake.deliveries()).toHaveLength(4)
})

test.for([
  ['busy', { kind: 'busy', code: 'DINGTALK_LIMITED' }],
  ['unavailable', { kind: 'busy', code: 'DINGTALK_FAILED' }],
  ['lost', { kind: 'unsure', code: 'DINGTALK_FAILED' }],
  ['unanswered', { kind: 'unsure', code: 'DINGTALK_FAILED' }],
  ['forbidden', { kind: 'refused', code: 'DINGTALK_FAILED' }],
] as const)(
  'a send to DingTalk that goes wrong as "%s" is judged as it deserves, both ways',
  async ([fault, expected]) => {
    const set = await connected()
    const chatId = await known(set)
    for (const chat of [chatId, 'bob02']) {
      set.fake.failSends(fault)
      expect(await catchFailure(set.platform, chat)).toEqual(expected)
      expect(await catchFailure(set.platform, chat)).toBeUndefined()
    }
    expect(set.fake.deliveries()).toHaveLength(fault === 'unanswered' ? 4 : 2)
  },
)

test('someone whom the robot may not write to is refused, someone who got too much is for later', async () => {
  const { fake, platform } = await connected()
  fake.batchAnswer = { processQueryKey: 'k', invalidStaffIdList: ['bob02'] }
  expect(await catchFailure(platform, 'bob02')).toMatchObject({ kind: 'refused' })
  fake.batchAnswer = { processQueryKey: 'k', flowControlledStaffIdList: ['bob02'] }
  expect(await catchFailure(platform, 'bob02')).toMatchObject({ kind: 'busy' })
})

test('a text that is too long for the robot goes in pieces, and a part of them alone is not tried again', async () => {
  const { fake, platform } = await connected()
  const lines = Array.from({ length: 900 }, (_, at) => `line "${at}" 漢字`)
  await platform.send({ chatId: 'bob02', text: lines.join('\n'), key: '1' })
  const arrived = fake.deliveries()
  expect(arrived.length).toBeGreaterThan(1)
  expect(
    arrived
      .map(({ visible }) => visible)
      .join('\n')
      .split('\n'),
  ).toEqual(lines)
  const before = arrived.length
  const half = platform.send({ chatId: 'bob02', text: lines.join('\n'), key: '2' })
  // Looked at between any two requests: the second piece is under way at most.
  while (fake.deliveries().length === before) await round()
  fake.failSends('busy', 5)
  const failure = await half.then(
    () => new Error('it was quicker than the fault'),
    (error: unknown) => error,
  )
  expect(classifyDeliveryError(failure).kind).toBe('unsure')
})

test('ten thousand emoji arrive whole by both ways, and blanks are not sent', async () => {
  const set = await connected()
  const chatId = await known(set)
  const text = '😀'.repeat(10_000)
  for (const chat of [chatId, 'bob02']) {
    const before = set.fake.deliveries().length
    await set.platform.send({ chatId: chat, text, key: chat })
    expect(
      set.fake
        .deliveries()
        .slice(before)
        .map(({ visible }) => visible)
        .join(''),
    ).toBe(text)
  }
  const before = set.fake.deliveries().length
  await expect(set.platform.send({ chatId, text: ' \n ', key: 'blank' })).rejects.toMatchObject({
    code: 'DINGTALK_FAILED',
  })
  expect(set.fake.deliveries()).toHaveLength(before)
})

test('what fails before anything is sent is tried again', async () => {
  const { fake, platform } = await connected()
  fake.garble('<html>no access token</html>')
  expect(await catchFailure(platform, 'bob02')).toEqual({ kind: 'busy', code: 'DINGTALK_FAILED' })
  await platform.send({ chatId: 'bob02', text: 'hi', key: '1' })
  const file = outboundFile('cat.png', 'png', { mediaType: 'image/png' })
  fake.garble('<html>no upload</html>')
  const failure = await platform
    .send({ chatId: 'bob02', text: 'a cat', key: '2', files: [file] })
    .catch((error) => error)
  expect(classifyDeliveryError(failure).kind).toBe('busy')
  expect(fake.deliveries().map(({ visible }) => visible)).toEqual(['hi'])
})

test('a picture is shown and a file is handed over, behind the words that go with it', async () => {
  const { fake, platform } = await connected()
  const file = outboundFile('cat.png', '\x89PNG\r\n--', { mediaType: 'image/png' })
  await platform.send({ chatId: 'bob02', text: 'a cat', key: '1', files: [file] })
  const report = outboundFile('Bericht ä.pdf', '%PDF', { mediaType: 'application/pdf' })
  await platform.send({ chatId: 'bob02', text: '', key: '2', files: [report] })
  const [words, picture, paper] = fake.deliveries()
  expect(words).toMatchObject({ visible: 'a cat', files: [] })
  expect(picture?.files).toEqual([{ name: 'cat.png', bytes: Buffer.from('\x89PNG\r\n--') }])
  expect(paper?.files).toEqual([{ name: 'Bericht ä.pdf', bytes: Buffer.from('%PDF') }])
  expect(JSON.parse(String(fake.lastSend().body['msgParam']))).toMatchObject({
    fileName: 'Bericht ä.pdf',
    fileType: 'pdf',
  })
})

test('an app that DingTalk does not accept is said at once, without its secret, and not tried again', async () => {
  const env = { DINGTALK_CLIENT_ID: 'dingfakeclientid01', DINGTALK_CLIENT_SECRET: 'a-wrong-secret-99' }
  const { platform, ear } = await stage({ env })
  const failure = await platform.connect(ear).catch((error) => error)
  expect(failure).toMatchObject({ code: 'DINGTALK_UNAUTHORIZED' })
  expect(classifyDeliveryError(failure).kind).toBe('refused')
  expect(failure.message).toContain('DINGTALK_CLIENT_SECRET')
  expect(failure.message).not.toContain('a-wrong-secret-99')
})

test('an app that is taken away is told for good, by the next connection or by a send', async () => {
  const { fake, platform, ear } = await connected()
  fake.disturb('logout')
  await vi.waitFor(() => expect(ear.losses).toHaveLength(1))
  await expect(platform.connect(ear)).rejects.toMatchObject({ code: 'DINGTALK_UNAUTHORIZED' })
})

test('answers of DingTalk that are nonsense are said, and nothing is taken for sent', async () => {
  const set = await connected()
  const chatId = await known(set)
  for (const text of ['<html>gateway</html>', '[]', '{"errmsg":"ok"}', 'null']) {
    set.fake.garble(text)
    expect(await catchFailure(set.platform, chatId)).toMatchObject({ kind: 'unsure', code: 'DINGTALK_FAILED' })
  }
  const { platform, ear, fake } = await stage()
  for (const text of ['<html>', '{}', '{"endpoint":7,"ticket":"t"}']) {
    fake.garble(text)
    await expect(platform.connect(ear)).rejects.toMatchObject({ code: 'DINGTALK_FAILED' })
  }
  fake.garble('{"endpoint":"ws://127.0.0.1:1/connect","ticket":"t"}')
  await expect(platform.connect(ear)).rejects.toMatchObject({ code: 'DINGTALK_FAILED' })
  expect(await platform.probe()).toBe(false)
})

test('what is missing to connect to DingTalk is said as a sentence', async () => {
  const unset = { DINGTALK_CLIENT_ID: undefined, DINGTALK_CLIENT_SECRET: undefined }
  const missing = async (env: Record<string, string>) =>
    (await stage({ env: { ...unset, ...env } })).platform.missing?.()
  expect(await missing({})).toBe('DINGTALK_CLIENT_ID is not set.')
  expect(await missing({ DINGTALK_CLIENT_ID: 'dingabc' })).toBe('DINGTALK_CLIENT_SECRET is not set.')
})

test('speech is a voice message with its milliseconds where it is Ogg or AMR of at most 2 MB, else a file', async () => {
  const { fake, platform } = await connected()
  const sounds = { 'a.ogg': opus([20, 20, 20]), 'b.amr': amr(50), 'c.mp3': mp3Frames(9), 'd.amr': amr(70_000) }
  for (const [name, bytes] of Object.entries(sounds)) {
    const files = [outboundFile(name, bytes, { mediaType: 'audio/ogg', isVoice: true })]
    await platform.send({ chatId: 'bob02', text: '', key: name, files })
    const isVoice = name < 'c'
    expect(fake.lastSend().body).toMatchObject({ msgKey: isVoice ? 'sampleAudio' : 'sampleFile' })
    expect(fake.deliveries().at(-1)?.files[0]?.durationMs).toBe({ 'a.ogg': 60, 'b.amr': 1000 }[name])
  }
})
