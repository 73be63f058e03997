/** Stories of followers of an official account, of calls that WeChat did not make, and of answers within its five seconds. */
import { writeXmlFields } from 'svc/sdk/kit/text'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import {
  createFields,
  openStandIn,
  SHARED,
  sealCall,
} from '../../../../../plugins/messaging/platforms/platform-wechat/stand-in/service.ts'
import { createStages, type OpenStage } from '../../../../support/platform-stage.ts'

const { connected: opened, stage: closed } = createStages('wechat', openStandIn)

const USER = `o${'a'.repeat(27)}`
const text = { chatId: USER, text: 'hi', key: 'k1' }
const failing = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
const fields = { ...createFields(USER), MsgType: 'text', Content: 'hello', MsgId: '77' }
const call = sealCall(writeXmlFields(fields))

async function post({ url }: Pick<OpenStage, 'url'>, { body, query }: { body: string; query: string }) {
  const response = await fetch(`${url}/webhooks/wechat?${query}`, { method: 'POST', body })
  return { status: response.status, text: await response.text() }
}

/** Signed as before messages were sealed. */
function openCall(changes: object = {}) {
  const query = new URLSearchParams(call.query)
  for (const name of ['encrypt_type', 'msg_signature']) query.delete(name)
  return { body: writeXmlFields({ ...fields, ...changes }), query: query.toString() }
}

test('a sealed call is handed over and acknowledged with the word that WeChat expects', async () => {
  const one = await opened()
  expect(await post(one, call)).toEqual({ status: 200, text: 'success' })
  expect(one.ear.received).toMatchObject([{ chatId: USER, userId: USER, messageId: '77', text: 'hello' }])
})

test('a call with a forged, an old or a changed signature is refused and never seen', async () => {
  const one = await opened()
  for (const [name, value] of [
    ['msg_signature', ''],
    ['msg_signature', '0'.repeat(40)],
    ['timestamp', '1'],
    ['nonce', 'other'],
    ['encrypt_type', 'raw'],
  ] as const) {
    const query = new URLSearchParams(call.query)
    query.set(name, value)
    expect((await post(one, { body: call.body, query: query.toString() })).status).toBeGreaterThanOrEqual(400)
  }
  expect((await post(one, sealCall(writeXmlFields(fields), Date.now() - 301_000))).status).toBe(401)
  const foreign = { ...SHARED, receiver: 'wxother' } as unknown as typeof SHARED
  expect((await post(one, sealCall(writeXmlFields(fields), Date.now(), foreign))).status).toBe(400)
  expect(one.ear.received).toEqual([])
})

test('an account with a key takes no open call, one without takes no sealed call', async () => {
  const [sealed, open] = [await opened(), await opened({ env: { WECHAT_AES_KEY: undefined } })]
  expect((await post(sealed, openCall())).status).toBe(400)
  expect((await post(open, openCall())).status).toBe(200)
  expect((await post(open, call)).status).toBe(400)
  expect(sealed.ear.received).toEqual([])
  expect(open.ear.texts).toEqual(['hello'])
})

test('the check of the address is echoed when it is signed', async () => {
  const { url } = await opened()
  const query = new URLSearchParams(openCall().query)
  query.set('echostr', '5938')
  const response = await fetch(`${url}/webhooks/wechat?${query}`)
  expect([response.status, await response.text()]).toEqual([200, '5938'])
  query.set('signature', 'forged')
  expect((await fetch(`${url}/webhooks/wechat?${query}`)).status).toBe(401)
})

test('events need no answer, what is malformed is refused', async () => {
  const one = await opened()
  const { MsgId: _, ...event } = { ...fields, MsgType: 'event', Event: 'subscribe' }
  expect((await post(one, sealCall(writeXmlFields(event)))).status).toBe(200)
  expect((await post(one, sealCall(writeXmlFields({ ...fields, MsgType: 'location' })))).status).toBe(200)
  expect((await post(one, sealCall('no message'))).status).toBe(400)
  expect(one.ear.received).toEqual([])
})

test('an answer within the time of a call leaves in its reply, sealed, and the same when WeChat calls again', async () => {
  const one = await opened({ config: { reply: 'passive' } })
  const member = one.fake.member()
  await member.say('what is the time?')
  await expect.poll(() => one.ear.texts).toEqual(['what is the time?'])
  const { messageId } = await one.platform.send({ ...text, chatId: member.chatId, text: 'noon' })
  await expect.poll(() => one.fake.deliveries().map(({ visible }) => visible)).toEqual(['noon'])
  const { MsgId, ...rest } = { ...fields, FromUserName: member.userId, MsgId: messageId.replace('reply-', '') }
  const again = await post(one, sealCall(writeXmlFields({ ...rest, MsgId })))
  expect(again.text).toContain('<Encrypt>')
})

test('WeChat calls three times for an answer; the last call is acknowledged, and later answers are refused with a reason', async () => {
  const clock = virtualClock(Date.now())
  const one = await opened({ config: { reply: 'passive' }, clock })
  const statuses: (readonly [number, string])[] = []
  for (let count = 0; count < 3; count++) {
    const answer = post(one, call)
    await expect.poll(() => clock.pending()).toBeGreaterThan(0)
    await expect.poll(() => one.ear.received.length).toBe(count + 1)
    await clock.advance(4600)
    const { status, text: said } = await answer
    statuses.push([status, said])
  }
  expect(statuses.map(([status]) => status)).toEqual([503, 503, 200])
  const error = await failing(one.platform.send(text))
  expect(classifyDeliveryError(error)).toEqual({ kind: 'refused' })
  expect(String(error)).toContain('15 seconds')
})

test('with both ways the first part leaves in the reply and the next as a customer service message', async () => {
  const one = await opened({ config: { reply: 'both' } })
  const member = one.fake.member()
  await member.say('tell me')
  await expect.poll(() => one.ear.received.length).toBe(1)
  await one.platform.send({ ...text, chatId: member.chatId, text: 'one' })
  await expect.poll(() => one.fake.deliveries().length).toBe(1)
  await one.platform.send({ ...text, chatId: member.chatId, text: 'two', key: 'k2' })
  expect(one.fake.deliveries().map(({ visible }) => visible)).toEqual(['one', 'two'])
})

test('what cannot be committed to is not said in a reply', async () => {
  const one = await opened({ config: { reply: 'passive' } })
  const member = one.fake.member()
  await member.say('tell me')
  await expect.poll(() => one.ear.received.length).toBe(1)
  const commit = () => {
    throw new Error('the disk is full')
  }
  await expect(one.platform.send({ ...text, chatId: member.chatId, commit })).rejects.toThrow('the disk is full')
  await one.platform.send({ ...text, chatId: member.chatId, text: 'now' })
  await expect.poll(() => one.fake.deliveries().map(({ visible }) => visible)).toEqual(['now'])
})

test('a token of WeChat that expires during a send is renewed, a secret that is refused ends the connection', async () => {
  const { platform, fake, ear } = await opened()
  fake.expireToken()
  await platform.send(text)
  expect(fake.deliveries()).toHaveLength(1)
  fake.disturb('logout')
  expect(await failing(platform.send(text))).toMatchObject({ code: 'PLATFORM_UNAUTHORIZED' })
  expect(ear.losses).toMatchObject([{ final: true, code: 'wechat_unauthorized' }])
  const again = await closed({ env: { WECHAT_APP_SECRET: 'of another account' } })
  const refused = await failing(again.platform.connect(again.ear))
  expect(classifyDeliveryError(refused)).toEqual({ kind: 'refused' })
  expect(String(refused)).not.toContain('of another account')
})

test('someone who has not written for two days cannot be written to, and an id of the request stands in no error', async () => {
  const { platform, fake } = await opened()
  fake.failSends('forbidden')
  const error = await failing(platform.send(text))
  expect(classifyDeliveryError(error)).toEqual({ kind: 'refused' })
  expect(String(error)).toContain('45015')
  expect(String(error)).not.toContain('rid:')
  for (const chatId of ['', 'a b', '../x'])
    expect(await failing(platform.send({ ...text, chatId }))).toMatchObject({ code: 'PLATFORM_REFUSED' })
})

test('a picture is fetched with the token of the account, up to the limit', async () => {
  const { platform, fake, ear } = await opened()
  const bytes = Buffer.from('a picture of a cat')
  await fake.member().say('', { files: [{ name: 'cat.jpg', mediaType: 'image/jpeg', bytes }] })
  await expect.poll(() => ear.received.length).toBe(1)
  const [file] = ear.received[0]?.files ?? []
  if (!file) throw new Error('no file came')
  const { signal } = new AbortController()
  expect(Buffer.from((await platform.fetch?.(file, { maxBytes: 100, signal })) ?? [])).toEqual(bytes)
  await expect(platform.fetch?.(file, { maxBytes: 3, signal })).rejects.toMatchObject({ code: 'PLATFORM_FILE_LARGE' })
})

test('without its variables WeChat says what it needs', async () => {
  const { platform } = await closed({ env: { WECHAT_TOKEN: undefined } })
  expect(platform.missing?.()).toBe('needs WECHAT_TOKEN')
})

test('what WeChat understood of a voice message is its text, and the recording is not fetched for it', async () => {
  const one = await opened()
  const voice = { ...createFields(USER), MsgType: 'voice', MediaId: 'm', Format: 'amr' }
  await post(one, sealCall(writeXmlFields({ ...voice, Recognition: ' buy milk ', MsgId: '80' })))
  await post(one, sealCall(writeXmlFields({ ...voice, Recognition: '', MsgId: '81' })))
  expect(one.ear.received).toMatchObject([
    { text: 'buy milk', files: [{ isVoice: true, isTranscribed: true }] },
    { text: '', files: [{ isVoice: true }] },
  ])
  expect(one.ear.received[1]?.files?.[0]).not.toHaveProperty('isTranscribed')
})
