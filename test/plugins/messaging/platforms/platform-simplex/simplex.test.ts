/** Stories of people on SimpleX, of messages whose answer was lost, and of files. */
import { existsSync } from 'node:fs'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { outboundFile, virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-simplex/stand-in/service.ts'
import { mp3Frames, opus } from '../../../../support/pictures.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected, stage, home } = createStages('simplex', openStandIn)
const failing = (work: Promise<unknown> | undefined) =>
  work?.then(
    () => undefined,
    (error: unknown) => error,
  )

test.for([
  ['busy', 'busy'],
  ['unavailable', 'busy'],
  ['forbidden', 'refused'],
  ['lost', 'unsure'],
  ['unanswered', 'unsure'],
] as const)(
  'a message to SimpleX that meets %s fails as %s, and the next process finds what was sent',
  async ([fault, kind]) => {
    const { platform, fake, restart } = await home()
    const { chatId } = fake.member()
    const message = { chatId, text: 'hi', key: 'k2' }
    await platform.send({ ...message, key: 'k1' })
    const notes: string[] = []
    fake.failSends(fault)
    const sending = platform.send({ ...message, writeNote: (note: string) => void notes.push(note) })
    expect(classifyDeliveryError(await failing(sending))).toEqual({ kind })
    await platform.close()
    const next = await restart()
    const [note = ''] = notes
    const found = await next.platform.find?.({ ...message, note })
    expect(found).toEqual(fault === 'unanswered' ? { messageId: fake.deliveries()[1]?.messageId } : undefined)
    expect(await next.platform.find?.({ ...message, text: 'other', note })).toBeUndefined()
  },
)

test('in a group a person is the contact where there is one, and the own name is no part of what was said', async () => {
  const { fake, ear } = await connected()
  const member = fake.member({ userId: 'ada', group: 'lab' })
  await member.say('among us')
  const id = await member.say('what is the time?', { mention: true })
  await member.say('and this?', { quote: id })
  const groupInfo = { groupId: 1, localDisplayName: 'lab' }
  const groupMember = { memberId: 'bWVtYmVy', localDisplayName: 'eve' }
  const content = { type: 'rcvMsgContent', msgContent: { type: 'text', text: 'a stranger' } }
  const chatItem = { chatDir: { type: 'groupRcv', groupMember }, meta: { itemId: 900 }, content }
  fake.tell({ type: 'newChatItems', chatItems: [{ chatInfo: { type: 'group', groupInfo }, chatItem }] })
  await expect.poll(() => ear.received.length).toBe(4)
  expect(ear.received.map(({ userId, text, isMention, quote }) => [userId, text, isMention, quote?.messageId])).toEqual(
    [
      [member.userId, 'among us', undefined, undefined],
      [member.userId, 'what is the time?', true, undefined],
      [member.userId, 'and this?', undefined, id],
      ['#1/bWVtYmVy', 'a stranger', undefined, undefined],
    ],
  )
})

test('events of other profiles, own messages and what is unknown are no messages', async () => {
  const { fake, ear } = await connected()
  const contact = { contactId: 9, localDisplayName: 'eve', profile: { peerType: 'bot' } }
  const item = (more: object, msg: object = { type: 'text', text: 'no' }) => ({
    chatInfo: { type: 'direct', contact },
    chatItem: {
      chatDir: { type: 'directRcv' },
      meta: { itemId: 500 },
      content: { type: 'rcvMsgContent', msgContent: msg },
      ...more,
    },
  })
  fake.tell({ type: 'newChatItems', user: { userId: 2 }, chatItems: [item({})] })
  fake.tell({
    type: 'newChatItems',
    chatItems: [
      item({ chatDir: { type: 'directSnd' } }),
      item({ content: { type: 'rcvCall' } }),
      { chatInfo: { type: 'local' } },
      7,
    ],
  })
  fake.tell({ type: 'newChatItems', chatItems: 'none' })
  fake.tell({ type: 'somethingNew', chatItems: [item({})] })
  fake.tell({
    type: 'newChatItems',
    chatItems: [item({ meta: { itemId: 501 } }, { type: 'link', text: 'of a program' })],
  })
  await expect.poll(() => ear.received).toMatchObject([{ text: 'of a program', isBot: true, userId: '@9' }])
})

test('what was written while svc was away is read in order, and nothing twice; what was there before is not answered', async () => {
  const fake = await openStandIn()
  const [ada, lab] = [fake.member({ userId: 'ada' }), fake.member({ userId: 'bob', group: 'lab' })]
  await ada.say('long ago')
  const cursors = new Map<string, string>()
  const first = await connected({ fake, cursors })
  await ada.say('one')
  await expect.poll(() => first.ear.texts).toEqual(['one'])
  first.ear.most = 1
  await ada.say('two')
  await expect.poll(() => first.ear.refused).toBeGreaterThan(0)
  await first.platform.close()
  await lab.say('three')
  await ada.say('four')
  const second = await connected({ fake, cursors })
  await expect.poll(() => second.ear.texts).toEqual(['two', 'three', 'four'])
  await ada.say('five')
  await expect.poll(() => second.ear.texts).toEqual(['two', 'three', 'four', 'five'])
  await fake.close()
})

test('requests of people are accepted only if that is set, also those from before', async () => {
  for (const isSet of [false, true]) {
    const fake = await openStandIn()
    fake.askForContact(7)
    await connected({ fake, config: { accept_requests: isSet } })
    fake.askForContact(8)
    if (isSet) await expect.poll(() => fake.accepted()).toEqual([7, 8])
    else expect(fake.commands().filter((cmd) => cmd.startsWith('/_accept'))).toEqual([])
    await fake.close()
  }
})

test('files go both ways, and leave nothing behind', async () => {
  const { platform, fake, ear } = await connected()
  const member = fake.member()
  await platform.send({
    chatId: member.chatId,
    text: 'a plan',
    key: 'k1',
    files: [outboundFile('../plan.pdf', 'the plan')],
  })
  const [sent] = fake.deliveries()
  expect([sent?.visible, sent?.files[0]?.name, String(sent?.files[0]?.bytes)]).toEqual([
    'a plan',
    'plan.pdf',
    'the plan',
  ])
  const path = /"filePath":"([^"]+)"/.exec(fake.commands().at(-1) ?? '')?.[1] ?? ''
  expect(path).toContain('plan.pdf')
  await expect.poll(() => existsSync(path)).toBe(false)
  const bytes = Buffer.from('a voice that says hello')
  await member.say('', { files: [{ name: 'v.ogg', mediaType: 'audio/ogg', bytes }] })
  await expect.poll(() => ear.received.length).toBe(1)
  const [file] = ear.received[0]?.files ?? []
  expect(file).toMatchObject({ name: 'v.ogg', isVoice: true, size: bytes.length })
  if (!file) throw new Error('no file came')
  const { signal } = new AbortController()
  expect(Buffer.from((await platform.fetch?.(file, { maxBytes: 100, signal })) ?? [])).toEqual(bytes)
  await expect(platform.fetch?.(file, { maxBytes: 3, signal })).rejects.toMatchObject({ code: 'PLATFORM_FILE_LARGE' })
  const understated = { ...file, size: 1 }
  await expect(platform.fetch?.(understated, { maxBytes: 3, signal })).rejects.toMatchObject({
    code: 'PLATFORM_FILE_LARGE',
  })
  fake.loseFiles()
  expect(await failing(platform.fetch?.(file, { maxBytes: 100, signal }))).toMatchObject({ code: 'PLATFORM_REFUSED' })
})

test('a program of which nothing is heard any more is left', async () => {
  const clock = virtualClock(Date.now())
  const { ear, fake } = await connected({ clock })
  fake.disturb('silence')
  await clock.advance(70_000)
  expect(ear.losses).toEqual([])
  await clock.advance(10_000)
  await expect.poll(() => ear.losses).toMatchObject([{ reason: expect.stringContaining('nothing was heard') }])
})

test('what is missing or unsafe is named, and what is no chat does not leave', async () => {
  const problem = async (url: string | undefined) => (await stage({ env: { SIMPLEX_URL: url } })).platform.missing?.()
  expect(await problem(undefined)).toBe('needs SIMPLEX_URL')
  expect(await problem('http://127.0.0.1:5225')).toContain('not a WebSocket URL')
  expect(await problem('ws://simplex.example.com:5225')).toContain('wss://')
  expect(await problem('wss://simplex.example.com')).toBeUndefined()
  const { platform, fake } = await connected()
  for (const chatId of ['', 'ada', '@', '@1 json []', '#2\n/_delete @2', '*1'])
    expect(await failing(platform.send({ chatId, text: 'hi', key: 'k' }))).toMatchObject({ code: 'PLATFORM_REFUSED' })
  expect(fake.commands().filter((cmd) => cmd.startsWith('/_send'))).toEqual([])
  const down = await stage({ env: { SIMPLEX_URL: 'ws://127.0.0.1:9' } })
  expect(classifyDeliveryError(await failing(down.platform.connect(down.ear)))).toEqual({ kind: 'busy' })
})

test('an MP3 of speech is a voice message with its seconds on SimpleX, and is found as one; other speech is a file', async () => {
  const { fake, platform } = await connected()
  const { chatId } = fake.member()
  const mp3 = outboundFile('a.mp3', mp3Frames(77), { mediaType: 'audio/mpeg', isVoice: true })
  const ogg = outboundFile('b.ogg', opus([20]), { mediaType: 'audio/ogg', isVoice: true })
  await platform.send({ chatId, text: '', key: '1', files: [mp3] })
  await platform.send({ chatId, text: '', key: '2', files: [ogg] })
  const files = fake.deliveries().flatMap((each) => each.files)
  expect(files.map(({ name, isVoice, durationMs }) => [name, isVoice, durationMs])).toEqual([
    ['a.mp3', true, 2000],
    ['b.ogg', undefined, undefined],
  ])
})
