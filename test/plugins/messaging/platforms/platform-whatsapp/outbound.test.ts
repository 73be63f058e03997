import { createHmac } from 'node:crypto'
import { StandInServer } from 'svc/sdk/kit/stand-in'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { Traces } from 'svc/sdk/sessions'
import { outboundFile } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { createFileBodies as messageOf } from '../../../../../plugins/messaging/platforms/platform-whatsapp/outgoing.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-whatsapp/stand-in/service.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const { connected: opened, stage: closed } = createStages('whatsapp', openStandIn)

const failing = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

test.for([
  ['busy', { kind: 'busy', retryAfterMs: 1000 }, 0],
  ['unavailable', { kind: 'busy' }, 0],
  ['forbidden', { kind: 'refused' }, 0],
  ['lost', { kind: 'unsure' }, 0],
  ['unanswered', { kind: 'unsure' }, 1],
] as const)('a WhatsApp message that meets %s fails with what is certain of it', async ([fault, failure, arrived]) => {
  const { platform, fake } = await opened()
  const { chatId } = fake.member()
  await platform.send({ chatId, text: 'before', key: 'k0' })
  fake.failSends(fault)
  expect(classifyDeliveryError(await failing(platform.send({ chatId, text: 'hi', key: 'k1' })))).toEqual(failure)
  expect(fake.deliveries().filter((each) => each.raw === 'hi')).toHaveLength(arrived)
})

test('after 24 hours of silence a message is refused, with the reason in words', async () => {
  const { platform, fake } = await opened()
  const { chatId } = fake.member()
  fake.failSends('forbidden')
  const error = await failing(platform.send({ chatId, text: 'are you there?', key: 'k1' }))
  expect(error).toMatchObject({ code: 'WHATSAPP_WINDOW' })
  expect(String(error)).toContain('24 hours')
})

test('a message that is refused later, by a call of Meta, is noted on its trace', async () => {
  const noted: unknown[] = []
  const traces: Traces = {
    note: (...stage) => void noted.push(stage),
    of: (id) => (id === 'wamid.7' ? { trace: 'trace-7', stages: [] } : undefined),
  }
  const { fake, url } = await opened({
    with: [{ name: 'tracer', provides: ['traces'], setup: (ctx) => void ctx.provide(Traces, () => traces) }],
  })
  const errors = [{ code: 131047, title: 'Re-engagement message' }]
  const statuses = [
    { id: 'wamid.6', status: 'read' },
    { id: 'wamid.7', status: 'failed', errors },
  ]
  const value = { metadata: { phone_number_id: '106540352242922' }, statuses }
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ changes: [{ field: 'messages', value }] }],
  })
  const secret = fake.env['WHATSAPP_CLOUD_APP_SECRET'] ?? ''
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  const headers = { 'x-hub-signature-256': signature }
  expect((await fetch(`${url}/webhooks/whatsapp`, { method: 'POST', headers, body })).status).toBe(200)
  expect(noted).toEqual([['trace-7', 'undelivered', expect.stringContaining('24 hours'), ['wamid.7']]])
})

test('the header comes from the configuration, else the environment, else the standard, and empty is none', async () => {
  const says = async (config: Record<string, unknown>, env: Record<string, string>) => {
    const { platform, fake } = await opened({ config, env })
    await platform.send({ chatId: fake.member().chatId, text: 'hi', key: 'k' })
    return fake.deliveries()[0]?.raw
  }
  const env = { WHATSAPP_REPLY_PREFIX: 'Robot:\\n' }
  expect(await says({ reply_prefix: 'Me\\n\\n' }, env)).toBe('Me\n\nhi')
  expect(await says({ reply_prefix: undefined }, env)).toBe('Robot:\nhi')
  expect(await says({ reply_prefix: undefined }, {})).toBe('*svc*\nhi')
  expect(await says({ reply_prefix: '' }, env)).toBe('hi')
})

test('the header is counted: text and header together fill a message and no more', async () => {
  const { platform, fake } = await opened({ config: { reply_prefix: 'Robot:\\n' } })
  const { chatId } = fake.member()
  const { maxTextLength } = platform.limits
  expect(maxTextLength).toBe(4096 - 7)
  await platform.send({ chatId, text: 'x'.repeat(maxTextLength), key: 'k1' })
  const error = await failing(platform.send({ chatId, text: 'x'.repeat(maxTextLength + 1), key: 'k2' }))
  expect(error).toMatchObject({ code: 'WHATSAPP_TOO_LONG' })
  expect(classifyDeliveryError(error)).toEqual({ kind: 'refused' })
})

test('10,000 emoji in pieces of the limit arrive whole', async () => {
  const { platform, fake } = await opened()
  const { chatId } = fake.member()
  for (let at = 0; at < 10; at++) await platform.send({ chatId, text: '🦜'.repeat(1000), key: `k${at}` })
  expect(
    fake
      .deliveries()
      .map(({ visible }) => visible)
      .join(''),
  ).toBe('🦜'.repeat(10_000))
})

const buttons = [
  { value: 'approve:1', label: 'Allow once' },
  { value: 'approve:2', label: 'Allow for the whole session' },
  { value: 'deny:1', label: 'Deny', style: 'danger' },
] as const

test('three buttons stand under a message, and the pressed one comes back', async () => {
  const { platform, fake, ear } = await opened()
  const member = fake.member()
  const { messageId } = await platform.send({ chatId: member.chatId, text: 'May I?', key: 'k', buttons })
  expect(fake.deliveries()[0]?.buttons).toEqual(['Allow once', 'Allow for the whole…', 'Deny'])
  await member.press?.('Deny')
  await expect.poll(() => ear.received.length, { timeout: 10_000 }).toBe(1)
  expect(ear.received[0]).toMatchObject({ press: 'deny:1', text: 'Deny', quote: { messageId } })
})

test('buttons stand under the end of a long text, which is cut at a word', async () => {
  const { platform, fake } = await opened()
  const { chatId } = fake.member()
  const text = `${'word '.repeat(600)}May I?`
  const { messageId } = await platform.send({ chatId, text, key: 'k', buttons })
  const [before, above] = fake.deliveries()
  expect(`${before?.raw} ${above?.raw}`).toBe(text)
  expect([before?.buttons.length, above?.buttons.length, above?.messageId]).toEqual([0, 3, messageId])
})

test.for([
  ['cut', undefined],
  ['refused', { status: 400, body: { error: { code: 100, message: 'no' } } }],
  ['limited', { status: 429, body: { error: { code: 130429, message: 'slow down' } } }],
] as const)('when the second half of a message is %s, no one sends the first half again', async ([, answer]) => {
  let sent = 0
  const service = await StandInServer.open(({ method }) => {
    if (method === 'GET') return { body: { id: '106540352242922' } }
    sent++
    return sent === 1 ? { body: { messages: [{ id: 'wamid.1' }] } } : (answer ?? 'cut')
  })
  onTestFinished(() => service.close())
  const { platform, ear } = await closed({ config: { base_url: service.url } })
  await platform.connect(ear)
  const error = await failing(platform.send({ chatId: '15550101234', text: 'x'.repeat(2000), key: 'k', buttons }))
  expect(error).toMatchObject({ code: 'WHATSAPP_HALF' })
  expect([classifyDeliveryError(error), sent]).toEqual([{ kind: 'unsure' }, 2])
})

const createFile = (name: string, mediaType: string, bytes: Uint8Array) => outboundFile(name, bytes, { mediaType })

test('a picture is uploaded and stands above its caption; a long text is sent before it', async () => {
  const { platform, fake } = await opened()
  const { chatId } = fake.member()
  const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 13, 10])
  const file = createFile('Küche "neu".png', 'image/png', bytes)
  await platform.send({ chatId, text: 'look', key: 'k1', files: [file] })
  await platform.send({ chatId, text: '', key: 'k2', files: [file] })
  await platform.send({ chatId, text: 'x'.repeat(2000), key: 'k3', files: [file] })
  const seen = fake.deliveries().map(({ raw, files }) => [raw.length, files.map(({ name }) => name)])
  const name = 'Küche _neu_.png'
  expect(seen).toEqual([
    [4, [name]],
    [0, [name]],
    [2000, []],
    [0, [name]],
  ])
  expect(Buffer.from(fake.deliveries()[0]?.files[0]?.bytes ?? [])).toEqual(bytes)
})

test('a file of any kind goes out as a document, and speech without a caption', async () => {
  const { platform, fake } = await opened()
  const { chatId } = fake.member()
  const bytes = Buffer.from('a,b\n1,2\n')
  await platform.send({ chatId, text: 'table', key: 'k1', files: [createFile('a.csv', 'text/csv', bytes)] })
  await platform.send({
    chatId,
    text: 'speech',
    key: 'k2',
    files: [createFile('a.ogg', 'audio/ogg; codecs=opus', bytes)],
  })
  expect(fake.deliveries().map(({ raw, files }) => [raw, files.length])).toEqual([
    ['table', 1],
    ['speech', 0],
    ['', 1],
  ])
})

test('typing and reading are shown under the newest message, and neither fails a chat', async () => {
  const calls: unknown[] = []
  const service = await StandInServer.open(({ method, path, json }) => {
    if (method === 'POST') calls.push([path, json()])
    return { body: { id: '106540352242922', success: true } }
  })
  onTestFinished(() => service.close())
  const one = await opened({ config: { base_url: service.url } })
  const { say, chatId } = one.fake.member()
  await one.platform.typing?.(chatId)
  expect(calls).toEqual([])
  const id = await say('hello')
  await expect.poll(() => calls.length, { timeout: 10_000 }).toBe(1)
  await one.platform.typing?.(chatId)
  const read = { messaging_product: 'whatsapp', status: 'read', message_id: id }
  const path = '/v23.0/106540352242922/messages'
  expect(calls).toEqual([
    [path, read],
    [path, { ...read, typing_indicator: { type: 'text' } }],
  ])
})

test('a token that expired ends WhatsApp for good and says how to mend it', async () => {
  const { platform, fake, ear } = await opened()
  const { chatId } = fake.member()
  fake.disturb('logout')
  expect(classifyDeliveryError(await failing(platform.send({ chatId, text: 'hi', key: 'k' })))).toEqual({
    kind: 'refused',
  })
  expect(ear.losses).toMatchObject([{ final: true, code: 'whatsapp_unauthorized' }])
  expect(ear.losses[0]?.reason).toContain('WHATSAPP_CLOUD_ACCESS_TOKEN')
  expect(await platform.probe()).toBe(false)
})

test.for([
  ['a wrong token', { WHATSAPP_CLOUD_ACCESS_TOKEN: 'EAAJother' }, 'WHATSAPP_UNAUTHORIZED', 'refused'],
  ['a number of somebody else', { WHATSAPP_CLOUD_PHONE_NUMBER_ID: '4711' }, 'WHATSAPP_REFUSED', 'refused'],
  ['a version that is gone', { WHATSAPP_CLOUD_API_VERSION: 'v1.0' }, 'WHATSAPP_REFUSED', 'refused'],
] as const)('WhatsApp with %s is not connected', async ([, env, code, kind]) => {
  const { platform, ear } = await closed({ env })
  const error = await failing(platform.connect(ear))
  expect(error).toMatchObject({ code })
  expect(classifyDeliveryError(error).kind).toBe(kind)
  expect(String(error)).not.toContain('EAAJother')
})

test('WhatsApp says which of its four settings are not there', async () => {
  const { platform } = await closed({ env: { WHATSAPP_CLOUD_APP_SECRET: undefined, WHATSAPP_CLOUD_VERIFY_TOKEN: '' } })
  expect(platform.missing?.()).toBe('needs WHATSAPP_CLOUD_APP_SECRET, WHATSAPP_CLOUD_VERIFY_TOKEN')
})

test('a service that answers with something else is not taken for the Graph API', async () => {
  for (const body of ['{"id":', '<html>', { id: 'another' }, 'null']) {
    const service = await StandInServer.open(() => ({ body }))
    onTestFinished(() => service.close())
    const { platform, ear } = await closed({ config: { base_url: service.url } })
    expect(await failing(platform.connect(ear))).toMatchObject({ code: 'WHATSAPP_UNREACHABLE' })
  }
})

test('a chat that is no number is refused without asking Meta', async () => {
  const { platform } = await opened()
  for (const chatId of ['', 'ada', '12', '../media'])
    expect(classifyDeliveryError(await failing(platform.send({ chatId, text: 'hi', key: 'k' })))).toEqual({
      kind: 'refused',
    })
})

test('speech as Opus in Ogg is a voice message, other sound is not', async () => {
  const { platform, fake } = await opened()
  const { chatId } = fake.member()
  const sound = (name: string, mediaType: string) => outboundFile(name, 'sound', { mediaType, isVoice: true })
  const [ogg, mp3] = [sound('a.ogg', 'audio/ogg'), sound('a.mp3', 'audio/mpeg')]
  for (const [key, file] of [['k1', ogg] as const, ['k2', mp3] as const])
    await platform.send({ chatId, text: '', key, files: [file] })
  expect(fake.deliveries().map(({ files }) => files.map(({ name }) => name))).toEqual([['a.ogg'], ['a.mp3']])
  expect(messageOf('1', ogg, 5, '')).toEqual([{ type: 'audio', audio: { id: '1', voice: true } }])
  expect(messageOf('1', mp3, 5, '')).toEqual([{ type: 'audio', audio: { id: '1' } }])
})
