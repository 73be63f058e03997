/** Stories of people in WeCom, of calls that it did not make, and of its tokens and files. */
import { MessageSeal, writeXmlFields } from 'svc/sdk/kit/text'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { outboundFile } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import {
  openStandIn,
  SHARED,
  sealCall,
} from '../../../../../plugins/messaging/platforms/platform-wecom/stand-in/service.ts'
import { amr, opus } from '../../../../support/pictures.ts'
import { createStages, type OpenStage } from '../../../../support/platform-stage.ts'

const { connected: opened, stage: closed } = createStages('wecom', openStandIn)

const text = { chatId: 'ada', text: 'hi', key: 'k1' }
const failing = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
const fields = {
  ...{ ToUserName: SHARED.receiver, FromUserName: 'ada', CreateTime: '1700000000', MsgType: 'text' },
  ...{ Content: 'hello <b>&amp;</b> ]] you', MsgId: '77', AgentID: '1000002' },
}
const call = sealCall(writeXmlFields(fields))

async function post({ url }: Pick<OpenStage, 'url'>, { body, query }: { body: string; query: string }) {
  const response = await fetch(`${url}/webhooks/wecom?${query}`, { method: 'POST', body })
  return { status: response.status, text: await response.text() }
}

test('what a member writes is handed over once it is stored, marks and all', async () => {
  const one = await opened()
  expect(await post(one, call)).toEqual({ status: 200, text: 'success' })
  expect(one.ear.received).toEqual([
    { platform: 'wecom', chatId: 'ada', userId: 'ada', messageId: '77', at: 1_700_000_000_000, text: fields.Content },
  ])
})

test('a call with a forged, a foreign, an old or a changed seal is refused and never seen', async () => {
  const one = await opened()
  const query = new URLSearchParams(call.query)
  for (const [name, value] of [
    ['msg_signature', ''],
    ['msg_signature', '0'.repeat(40)],
    ['timestamp', '1'],
    ['nonce', 'other'],
  ] as const) {
    const changed = new URLSearchParams(query)
    changed.set(name, value)
    expect(await post(one, { body: call.body, query: changed.toString() })).toMatchObject({ status: 401 })
  }
  const other = call.encrypt.startsWith('A') ? 'B' : 'A'
  const body = call.body.replace(call.encrypt, `${other}${call.encrypt.slice(1)}`)
  expect(await post(one, { ...call, body })).toMatchObject({ status: 401 })
  const old = sealCall(writeXmlFields(fields), Date.now() - 301_000)
  expect(await post(one, old)).toMatchObject({ status: 401 })
  // Signed with the right token, yet sealed with another key, or for another company.
  for (const shared of [
    { ...SHARED, key: 'x'.repeat(43) },
    { ...SHARED, receiver: 'wxother' },
  ])
    expect(await post(one, sealCall(writeXmlFields(fields), Date.now(), shared as typeof SHARED))).toMatchObject({
      status: 400,
    })
  expect(one.ear.received).toEqual([])
})

test('the check of the address is answered with what was sealed, and only when it is signed', async () => {
  const { url, ear } = await opened()
  const seal = new MessageSeal(SHARED)
  const [time, nonce] = [String(Math.floor(Date.now() / 1000)), '263014780']
  const echostr = seal.close('1616140317555161061', Buffer.alloc(16, 7))
  const ask = async (signature: string) => {
    const query = new URLSearchParams({ msg_signature: signature, timestamp: time, nonce, echostr })
    const response = await fetch(`${url}/webhooks/wecom?${query}`)
    return { status: response.status, text: await response.text() }
  }
  expect(await ask(seal.sign([time, nonce, echostr]))).toEqual({ status: 200, text: '1616140317555161061' })
  expect(await ask(seal.sign([time, nonce]))).toMatchObject({ status: 401 })
  expect(ear.received).toEqual([])
})

test('calls of other applications are refused; events and locations need no answer', async () => {
  const one = await opened()
  expect(await post(one, sealCall(writeXmlFields({ ...fields, AgentID: '9' })))).toMatchObject({ status: 400 })
  const { MsgId: _, ...event } = { ...fields, MsgType: 'event', Event: 'enter_agent' }
  expect(await post(one, sealCall(writeXmlFields(event)))).toMatchObject({ status: 200 })
  expect(await post(one, sealCall(writeXmlFields({ ...fields, MsgType: 'location' })))).toMatchObject({ status: 200 })
  expect(one.ear.received).toEqual([])
})

test('a token that expires during a send is renewed, and the message arrives once', async () => {
  const { platform, fake, ear } = await opened()
  await platform.send(text)
  fake.expireToken()
  await platform.send({ ...text, text: 'again', key: 'k2' })
  expect(fake.deliveries().map(({ visible }) => visible)).toEqual(['hi', 'again'])
  expect(ear.losses).toEqual([])
})

test('a secret that was revoked ends the connection for good, and is named nowhere', async () => {
  const { platform, fake, ear } = await opened()
  fake.disturb('logout')
  const error = await failing(platform.send(text))
  expect(error).toMatchObject({ code: 'PLATFORM_UNAUTHORIZED' })
  expect(ear.losses).toMatchObject([{ final: true, code: 'wecom_unauthorized' }])
  const again = await closed({ env: { WECOM_SECRET: 'of another application' } })
  const refused = await failing(again.platform.connect(again.ear))
  expect(classifyDeliveryError(refused)).toEqual({ kind: 'refused' })
  expect(String(refused)).not.toContain('of another application')
})

test('a picture and a document are uploaded before they are sent, and a refused upload sends nothing', async () => {
  const { platform, fake } = await opened()
  const files = [outboundFile('cat.png', 'a picture of a cat')]
  await platform.send({ ...text, text: '', files })
  await platform.send({ ...text, text: '', key: 'k2', files: [outboundFile('plan.pdf', 'a plan')] })
  expect(fake.deliveries().map((each) => each.files.map(({ name }) => name))).toEqual([['cat.png'], ['plan.pdf']])
  fake.refuseUpload()
  const error = await failing(platform.send({ ...text, text: '', key: 'k3', files }))
  expect(classifyDeliveryError(error)).toEqual({ kind: 'refused' })
  expect(fake.deliveries()).toHaveLength(2)
})

test('what people send is fetched with the token of the application, up to the limit', async () => {
  const { platform, fake, ear } = await opened()
  const bytes = Buffer.from('a voice that says hello')
  await fake.member().say('', { files: [{ name: 'v.amr', mediaType: 'audio/amr', bytes }] })
  await expect.poll(() => ear.received.length).toBe(1)
  const [file] = ear.received[0]?.files ?? []
  expect(file).toMatchObject({ name: 'voice.amr', isVoice: true })
  if (!file) throw new Error('no file came')
  const { signal } = new AbortController()
  expect(Buffer.from((await platform.fetch?.(file, { maxBytes: 100, signal })) ?? [])).toEqual(bytes)
  await expect(platform.fetch?.(file, { maxBytes: 3, signal })).rejects.toMatchObject({ code: 'PLATFORM_FILE_LARGE' })
})

test('the group of a robot is written to with its key, and takes no files', async () => {
  const { platform, fake } = await opened()
  await platform.send({ ...text, chatId: 'robot' })
  expect(fake.deliveries()).toMatchObject([{ chatId: 'robot', visible: 'hi' }])
  const files = [outboundFile('plan.pdf', 'a plan')]
  expect(await failing(platform.send({ ...text, chatId: 'robot', text: '', files }))).toMatchObject({
    code: 'PLATFORM_REFUSED',
  })
  const bare = await opened({ env: { WECOM_ROBOT_KEY: undefined } })
  expect(String(await failing(bare.platform.send({ ...text, chatId: 'robot' })))).toContain('WECOM_ROBOT_KEY')
})

test('2,048 bytes fit into a message; the address of this machine stands in no error', async () => {
  const { platform, fake } = await opened()
  await platform.send({ ...text, text: '好'.repeat(682) })
  expect(await failing(platform.send({ ...text, text: '好'.repeat(683) }))).toMatchObject({ code: 'PLATFORM_TOO_LONG' })
  fake.failSends('busy')
  const error = await failing(platform.send(text))
  expect(classifyDeliveryError(error)).toEqual({ kind: 'busy', retryAfterMs: 1000 })
  expect(String(error)).not.toContain('10.0.0.1')
  expect(await failing(platform.send({ ...text, chatId: 'no such person' }))).toMatchObject({
    code: 'PLATFORM_REFUSED',
  })
})

test('without its variables WeCom says what it needs', async () => {
  const { platform } = await closed({ env: { WECOM_SECRET: undefined, WECOM_AES_KEY: undefined } })
  expect(platform.missing?.()).toBe('needs WECOM_SECRET and WECOM_AES_KEY')
})

test('speech in AMR of at most a minute is a voice message of WeCom; other speech is a file', async () => {
  const { platform, fake } = await opened()
  const sounds = { 'a.amr': amr(3000), 'long.amr': amr(3001), 'b.ogg': opus([20]) }
  for (const [name, bytes] of Object.entries(sounds)) {
    const files = [outboundFile(name, bytes, { mediaType: 'audio/amr', isVoice: true })]
    await platform.send({ ...text, text: '', key: name, files })
  }
  const files = fake.deliveries().flatMap((each) => each.files)
  expect(files.map(({ name, isVoice }) => [name, isVoice])).toEqual([
    ['a.amr', true],
    ['long.amr', undefined],
    ['b.ogg', undefined],
  ])
})
