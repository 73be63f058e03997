/** Stories of people in LINE, and of calls that LINE did not make. */
import { createHmac } from 'node:crypto'
import { StandInServer } from 'svc/sdk/kit/stand-in'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { expect, onTestFinished, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-line/stand-in/service.ts'
import { createStages, type OpenStage } from '../../../../support/platform-stage.ts'

const { connected: opened, stage: closed } = createStages('line', openStandIn)

const USER = `U${'a'.repeat(32)}`
const text = { chatId: USER, text: 'hi', key: 'k1' }
const failing = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

/** Posts as LINE would; the signature is right unless told otherwise. */
async function post({ url, fake }: OpenStage, events: readonly unknown[], given?: string, destination?: string) {
  const { userId: own } = fake.member({ userId: 'svc' })
  const body = JSON.stringify({ destination: destination ?? own, events })
  const right = createHmac('sha256', fake.env['LINE_CHANNEL_SECRET'] ?? '')
    .update(body)
    .digest('base64')
  const headers = { 'content-type': 'application/json', 'x-line-signature': given ?? right }
  return (await fetch(`${url}/webhooks/line`, { method: 'POST', headers, body })).status
}

function createEvent(changes: object = {}): object {
  return {
    ...{ type: 'message', mode: 'active', timestamp: 1, webhookEventId: '01E', source: { type: 'user', userId: USER } },
    message: { id: '1', type: 'text', text: 'hello' },
    ...changes,
  }
}

test('a call with a forged, a missing or a cut signature is refused and never seen', async () => {
  const one = await opened()
  for (const given of ['', 'forged', Buffer.alloc(32).toString('base64'), 'x'.repeat(44)])
    expect(await post(one, [createEvent()], given)).toBe(401)
  expect(one.ear.received).toEqual([])
  expect(await post(one, [createEvent()])).toBe(200)
  expect(one.ear.texts).toEqual(['hello'])
})

test('the check of the console, friends, and what another module answers need no answer', async () => {
  const one = await opened()
  expect(await post(one, [])).toBe(200)
  const follow = createEvent({ type: 'follow', message: undefined })
  expect(await post(one, [follow, createEvent({ mode: 'standby' }), { type: 'new' }, 7])).toBe(200)
  expect(one.ear.received).toEqual([])
})

test('a call for another account, and a body that is no call, are refused', async () => {
  const one = await opened()
  expect(await post(one, [createEvent()], undefined, USER)).toBe(400)
  const body = 'null'
  const signature = createHmac('sha256', one.fake.env['LINE_CHANNEL_SECRET'] ?? '')
    .update(body)
    .digest('base64')
  const headers = { 'x-line-signature': signature }
  expect((await fetch(`${one.url}/webhooks/line`, { method: 'POST', headers, body })).status).toBe(400)
  expect(one.ear.received).toEqual([])
})

test('in a group the account is addressed by its name, which is no part of what was said', async () => {
  const one = await opened()
  const member = one.fake.member({ group: 'friends' })
  await member.say('among us')
  await member.say('what is the time?', { mention: true })
  await expect.poll(() => one.ear.received.length).toBe(2)
  expect(one.ear.received).toMatchObject([
    { chatId: member.chatId, userId: member.userId, chatKind: 'group', text: 'among us' },
    { chatKind: 'group', text: 'what is the time?', isMention: true },
  ])
  expect(one.ear.received[0]?.isMention).toBeUndefined()
})

test('a choice comes back with its value and its whole label, however long that is', async () => {
  const one = await opened()
  const member = one.fake.member()
  const label = 'Yes, and do not ask me again'
  await one.platform.send({ ...text, chatId: member.chatId, buttons: [{ value: 'approve:1', label }] })
  expect(one.fake.deliveries()[0]?.buttons).toEqual([label])
  await member.press?.(label)
  await expect.poll(() => one.ear.received).toMatchObject([{ press: 'approve:1', text: label, userId: member.userId }])
})

test('a file is fetched from LINE, up to the limit, and never from an address that a stranger chose', async () => {
  const one = await opened()
  const member = one.fake.member()
  const bytes = Buffer.from('a picture of a cat')
  await member.say('', { files: [{ name: 'cat.jpg', mediaType: 'image/jpeg', bytes }] })
  await expect.poll(() => one.ear.received.length).toBe(1)
  const [file] = one.ear.received[0]?.files ?? []
  const { signal } = new AbortController()
  expect(file).toMatchObject({ mediaType: 'image/jpeg' })
  if (!file) throw new Error('no file came')
  expect(Buffer.from((await one.platform.fetch?.(file, { maxBytes: 100, signal })) ?? [])).toEqual(bytes)
  const large = one.platform.fetch?.(file, { maxBytes: 3, signal })
  await expect(large).rejects.toMatchObject({ code: 'PLATFORM_FILE_LARGE' })
  const gone = one.platform.fetch?.({ ...file, ref: 'unknown' }, { maxBytes: 3, signal })
  await expect(gone).rejects.toMatchObject({ code: 'PLATFORM_MEDIA' })
  const foreign = {
    id: '9',
    type: 'image',
    contentProvider: { type: 'external', originalContentUrl: 'http://10.0.0.1/' },
  }
  expect(await post(one, [createEvent({ message: foreign })])).toBe(200)
  expect(one.ear.received).toHaveLength(1)
})

test.for([
  ['busy', { kind: 'busy', retryAfterMs: 1000 }, 0],
  ['unavailable', { kind: 'busy' }, 0],
  ['forbidden', { kind: 'refused' }, 0],
  ['lost', { kind: 'unsure' }, 0],
  ['unanswered', { kind: 'unsure' }, 1],
] as const)(
  'a message that meets %s fails with what is certain of it, and arrives once in the end',
  async ([fault, failure, arrived]) => {
    const { platform, fake } = await opened()
    fake.failSends(fault)
    expect(classifyDeliveryError(await failing(platform.send(text)))).toEqual(failure)
    expect(fake.deliveries()).toHaveLength(arrived)
    const { messageId } = await platform.send(text)
    expect(fake.deliveries().map((each) => each.messageId)).toEqual([messageId])
    await platform.send({ ...text, key: 'k2' })
    expect(fake.deliveries()).toHaveLength(2)
  },
)

test('messages of the month that are used up are no reason to wait', async () => {
  const message = 'You have reached your monthly limit.'
  const service = await StandInServer.open(({ method }) =>
    method === 'GET' ? { body: { userId: USER } } : { status: 429, body: { message } },
  )
  onTestFinished(() => service.close())
  const { platform, ear } = await closed({ config: { base_url: service.url } })
  await platform.connect(ear)
  const error = await failing(platform.send(text))
  expect(classifyDeliveryError(error)).toEqual({ kind: 'refused' })
  expect(String(error)).toContain(message)
})

test('a token that was revoked ends the connection for good and says what to do', async () => {
  const { platform, fake, ear } = await opened()
  fake.disturb('logout')
  expect(await failing(platform.send(text))).toMatchObject({ code: 'PLATFORM_UNAUTHORIZED' })
  expect(ear.losses).toMatchObject([{ final: true, code: 'line_unauthorized' }])
  expect(await platform.probe()).toBe(false)
  const again = await closed({ env: { LINE_CHANNEL_ACCESS_TOKEN: 'of another channel' } })
  const error = await failing(again.platform.connect(again.ear))
  expect(classifyDeliveryError(error)).toEqual({ kind: 'refused' })
  expect(String(error)).not.toContain('of another channel')
})

test.for([
  ['malformed JSON', { status: 200, body: '{"userId":' }],
  ['a web page', { status: 200, body: '<html>Sign in</html>' }],
  ['a fault of the server', { status: 500, body: 'oops' }],
] as const)('a service that answers with %s is not taken for LINE, and asked again later', async ([, answer]) => {
  const service = await StandInServer.open(() => answer)
  onTestFinished(() => service.close())
  const { platform, ear } = await closed({ config: { base_url: service.url } })
  expect(classifyDeliveryError(await failing(platform.connect(ear))).kind).toBe('busy')
})

test('what is no id of LINE, too long, or sent without a connection does not leave', async () => {
  const { platform, fake } = await opened()
  for (const chatId of ['', 'ada', `U${'g'.repeat(32)}`, '../info'])
    expect(await failing(platform.send({ ...text, chatId }))).toMatchObject({ code: 'PLATFORM_REFUSED' })
  expect(await failing(platform.send({ ...text, text: 'x'.repeat(5001) }))).toMatchObject({ code: 'PLATFORM_TOO_LONG' })
  await platform.close()
  expect(await failing(platform.send(text))).toMatchObject({ code: 'PLATFORM_NOT_CONNECTED' })
  expect(fake.deliveries()).toEqual([])
})

test('without token and secret the platform says what it needs', async () => {
  const { platform } = await closed({ env: { LINE_CHANNEL_ACCESS_TOKEN: undefined, LINE_CHANNEL_SECRET: undefined } })
  expect(platform.missing?.()).toBe('needs LINE_CHANNEL_ACCESS_TOKEN and LINE_CHANNEL_SECRET')
})

test('a message that could not be stored is not acknowledged, and LINE brings it again', async () => {
  const one = await opened()
  one.ear.refuse = 1
  await one.fake.member().say('please')
  await expect.poll(() => one.ear.texts, { timeout: 10_000 }).toEqual(['please'])
  expect(one.ear.refused).toBe(1)
})
