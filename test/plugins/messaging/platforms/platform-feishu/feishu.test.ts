/** Stories of people in Feishu, of calls that it did not make, and of cards and files. */
import { classifyDeliveryError } from 'svc/sdk/platform'
import { outboundFile } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import {
  createEvent,
  encryptCall,
  openStandIn,
  SHARED,
} from '../../../../../plugins/messaging/platforms/platform-feishu/stand-in/service.ts'
import { mp3Frames, opus } from '../../../../support/pictures.ts'
import { createStages, type OpenStage } from '../../../../support/platform-stage.ts'

const { connected: opened, stage: closed } = createStages('feishu', openStandIn)

const CHAT = `oc_${'a'.repeat(32)}`
const text = { chatId: CHAT, text: 'hi', key: 'k1' }
const failing = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
const message = {
  ...{ message_id: 'om_1', chat_id: CHAT, chat_type: 'p2p', message_type: 'text', create_time: '1700000000000' },
  content: JSON.stringify({ text: 'hello' }),
}
const sender = { sender_id: { open_id: 'ou_ada' }, sender_type: 'user' }
const said = createEvent('im.message.receive_v1', { sender, message })

interface Call {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

async function post({ url }: Pick<OpenStage, 'url'>, { headers, body }: Call) {
  const response = await fetch(`${url}/webhooks/feishu`, { method: 'POST', headers, body })
  return { status: response.status, json: (await response.json().catch(() => undefined)) as unknown }
}

test('an encrypted call is handed over', async () => {
  const one = await opened()
  expect(await post(one, encryptCall(said))).toEqual({ status: 200, json: {} })
  expect(one.ear.received).toEqual([
    {
      ...{ platform: 'feishu', chatId: CHAT, userId: 'ou_ada', messageId: 'om_1', text: 'hello' },
      at: 1_700_000_000_000,
    },
  ])
})

test('a call with a forged, a missing, an old or a changed signature is refused and never seen', async () => {
  const one = await opened()
  const right = encryptCall(said)
  const header = (name: string, value: string) => ({ ...right, headers: { ...right.headers, [name]: value } })
  for (const call of [
    header('x-lark-signature', ''),
    header('x-lark-signature', 'ab'.repeat(32)),
    header('x-lark-request-timestamp', '1'),
    header('x-lark-request-nonce', 'other'),
    { ...right, body: encryptCall(said).body },
    { ...right, body: JSON.stringify(said) },
    encryptCall(said, Date.now() - 301_000),
    encryptCall(said, Date.now(), 'the key of another app'),
    encryptCall(createEvent('im.message.receive_v1', { sender, message }, { token: 'of another app' })),
  ])
    expect(await post(one, call)).toMatchObject({ status: 401 })
  expect(one.ear.received).toEqual([])
  const foreign = createEvent('im.message.receive_v1', { sender, message }, { app_id: 'cli_other' })
  expect(await post(one, encryptCall(foreign))).toMatchObject({ status: 400 })
  expect(one.ear.received).toEqual([])
})

test('without an encrypt key the token alone proves a call, and with one an open call is refused', async () => {
  const one = await opened({ env: { FEISHU_ENCRYPT_KEY: undefined } })
  const open = (event: object) => ({ headers: {}, body: JSON.stringify(event) })
  expect(await post(one, open(said))).toMatchObject({ status: 200 })
  const forged = createEvent('im.message.receive_v1', { sender, message }, { token: '' })
  expect(await post(one, open(forged))).toMatchObject({ status: 401 })
  expect(one.ear.texts).toEqual(['hello'])
})

test('the check of the address is answered, also unsigned, when it carries the token', async () => {
  const one = await opened()
  const check = { type: 'url_verification', challenge: 'ajls384kdjx98XX', token: SHARED.token }
  const { body } = encryptCall(check)
  expect(await post(one, { headers: {}, body })).toEqual({ status: 200, json: { challenge: check.challenge } })
  const forged = encryptCall({ ...check, token: 'other' })
  expect(await post(one, { headers: {}, body: forged.body })).toMatchObject({ status: 401 })
})

test('in a group the bot is addressed by its name, which is no part of what was said; others keep theirs', async () => {
  const one = await opened()
  const member = one.fake.member({ group: 'team' })
  await member.say('among us')
  await member.say('what is the time?', { mention: true })
  await expect.poll(() => one.ear.received.length).toBe(2)
  expect(one.ear.received).toMatchObject([
    { chatId: member.chatId, chatKind: 'group', text: 'among us' },
    { chatKind: 'group', text: 'what is the time?', isMention: true },
  ])
  expect(one.ear.received[0]?.isMention).toBeUndefined()
  const mentions = [
    { key: '@_user_1', id: { open_id: 'ou_bob' }, name: 'Bob' },
    { key: '@_user_10', id: { open_id: 'ou_eve' }, name: 'Eve' },
  ]
  const content = JSON.stringify({ text: 'ask @_user_1 and @_user_10' })
  const event = createEvent('im.message.receive_v1', { sender, message: { ...message, content, mentions } })
  await post(one, encryptCall(event))
  expect(one.ear.texts.at(-1)).toBe('ask @Bob and @Eve')
})

test('other programs, other events and pictures of another kind need no answer', async () => {
  const one = await opened()
  for (const event of [
    createEvent('im.message.receive_v1', { sender: { ...sender, sender_type: 'app' }, message }),
    createEvent('im.chat.member.bot.added_v1', {}),
    createEvent('im.message.receive_v1', { sender, message: { ...message, message_type: 'sticker' } }),
    createEvent('im.message.receive_v1', {}),
    createEvent('card.action.trigger', { action: {} }),
  ])
    expect(await post(one, encryptCall(event))).toMatchObject({ status: 200 })
  expect(one.ear.received).toEqual([])
})

test('a choice comes back with its value and its whole label, from a group as from a group', async () => {
  const one = await opened()
  const member = one.fake.member({ group: 'team' })
  await member.say('go on', { mention: true })
  await expect.poll(() => one.ear.received.length).toBe(1)
  const label = 'Yes, and do not ask me again for as long as this takes'
  await one.platform.send({ ...text, chatId: member.chatId, buttons: [{ value: 'approve:1', label }] })
  expect(one.fake.deliveries()[0]).toMatchObject({ visible: 'hi', buttons: [label] })
  await member.press?.(label)
  await expect
    .poll(() => one.ear.received.at(-1))
    .toMatchObject({ press: 'approve:1', text: label, userId: member.userId, chatKind: 'group' })
})

test('words that look like a call of everybody call no one', async () => {
  const { platform, fake } = await opened()
  await platform.send({ ...text, text: 'see <at user_id="all"></at> and a < b' })
  expect(fake.deliveries()[0]?.visible.replaceAll('\u200b', '')).toBe('see <at user_id="all"></at> and a < b')
})

test('a message that is sent again arrives once, also as an answer', async () => {
  const { platform, fake } = await opened()
  fake.failSends('unanswered')
  expect(classifyDeliveryError(await failing(platform.send(text)))).toEqual({ kind: 'unsure' })
  const { messageId } = await platform.send(text)
  expect(fake.deliveries().map((each) => each.messageId)).toEqual([messageId])
  const member = fake.member()
  const question = await member.say('why?')
  await platform.send({ ...text, key: 'k2', chatId: member.chatId, replyTo: question })
  expect(fake.deliveries()[1]).toMatchObject({ chatId: member.chatId, replyTo: question })
})

test('files go both ways, and a refused upload sends nothing', async () => {
  const { platform, fake, ear } = await opened()
  const files = [outboundFile('cat.png', 'a picture of a cat')]
  await platform.send({ ...text, text: '', files })
  await platform.send({ ...text, text: '', key: 'k2', files: [outboundFile('plan.pdf', 'a plan')] })
  expect(fake.deliveries().map((each) => each.files[0]?.name)).toEqual(['cat.png', 'plan.pdf'])
  fake.refuseUploads()
  expect(classifyDeliveryError(await failing(platform.send({ ...text, text: '', key: 'k3', files })))).toEqual({
    kind: 'refused',
  })
  const bytes = Buffer.from('a voice that says hello')
  await fake.member().say('', { files: [{ name: 'v.opus', mediaType: 'audio/opus', bytes }] })
  await expect.poll(() => ear.received.length).toBe(1)
  const [file] = ear.received[0]?.files ?? []
  expect(file).toMatchObject({ isVoice: true })
  if (!file) throw new Error('no file came')
  const { signal } = new AbortController()
  expect(Buffer.from((await platform.fetch?.(file, { maxBytes: 100, signal })) ?? [])).toEqual(bytes)
  await expect(platform.fetch?.(file, { maxBytes: 3, signal })).rejects.toMatchObject({ code: 'PLATFORM_FILE_LARGE' })
})

test.for([
  ['busy', { kind: 'busy', retryAfterMs: 1000 }],
  ['unavailable', { kind: 'busy' }],
  ['forbidden', { kind: 'refused' }],
  ['lost', { kind: 'unsure' }],
] as const)('a message to Feishu that meets %s fails with what is certain of it', async ([fault, failure]) => {
  const { platform, fake } = await opened()
  fake.failSends(fault)
  expect(classifyDeliveryError(await failing(platform.send(text)))).toEqual(failure)
  expect(fake.deliveries()).toEqual([])
})

test('a token of Feishu that expires during a send is renewed, a secret that is refused ends the connection', async () => {
  const { platform, fake, ear } = await opened()
  fake.expireToken()
  await platform.send(text)
  expect(fake.deliveries()).toHaveLength(1)
  fake.disturb('logout')
  expect(await failing(platform.send({ ...text, key: 'k2' }))).toMatchObject({ code: 'PLATFORM_UNAUTHORIZED' })
  expect(ear.losses).toMatchObject([{ final: true, code: 'feishu_unauthorized' }])
  const again = await closed({ env: { FEISHU_APP_SECRET: 'of another app' } })
  const refused = await failing(again.platform.connect(again.ear))
  expect(classifyDeliveryError(refused)).toEqual({ kind: 'refused' })
  expect(String(refused)).not.toContain('of another app')
})

test('what is no chat of Feishu, or too long, does not leave', async () => {
  const { platform, fake } = await opened()
  for (const chatId of ['', 'ou_ada', 'oc_', 'oc_../x'])
    expect(await failing(platform.send({ ...text, chatId }))).toMatchObject({ code: 'PLATFORM_REFUSED' })
  expect(await failing(platform.send({ ...text, text: 'x'.repeat(8001) }))).toMatchObject({ code: 'PLATFORM_TOO_LONG' })
  expect(fake.deliveries()).toEqual([])
  const bare = await closed({ env: { FEISHU_APP_ID: undefined } })
  expect(bare.platform.missing?.()).toBe('needs FEISHU_APP_ID')
})

const speech = (name: string, bytes: Uint8Array) => outboundFile(name, bytes, { mediaType: 'audio/ogg', isVoice: true })

test('speech in Feishu is a voice message with its milliseconds, and a file where it cannot be one', async () => {
  const { platform, fake } = await opened()
  const whole = speech('a.ogg', opus(Array.from({ length: 77 }, () => 30)))
  const message = { ...text, text: '' }
  await platform.send({ ...message, files: [whole] })
  await platform.send({ ...message, key: 'k2', files: [speech('b.mp3', mp3Frames(9))] })
  const { isVoice: _, ...song } = whole
  await platform.send({ ...message, key: 'k3', files: [song] })
  const files = fake.deliveries().flatMap((each) => each.files)
  expect(files.map(({ name, isVoice, durationMs }) => [name, isVoice, durationMs])).toEqual([
    ['a.ogg', true, 1540],
    ['b.mp3', undefined, undefined],
    ['a.ogg', undefined, undefined],
  ])
})

test('a voice message that Feishu refuses to store fails as a file does, without a message', async () => {
  const { platform, fake } = await opened()
  fake.refuseUploads()
  const files = [speech('a.ogg', opus([30, 30]))]
  expect(classifyDeliveryError(await failing(platform.send({ ...text, text: '', files })))).toEqual({ kind: 'refused' })
  expect(fake.deliveries()).toEqual([])
})
