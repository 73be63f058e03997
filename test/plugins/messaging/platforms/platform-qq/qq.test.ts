/** Stories of people in QQ, of calls that it did not make, and of answers that name their question. */
import { createPrivateKey, createPublicKey, verify } from 'node:crypto'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { expect, test } from 'vitest'
import { openStandIn, signCall } from '../../../../../plugins/messaging/platforms/platform-qq/stand-in/service.ts'
import { createStages, type OpenStage } from '../../../../support/platform-stage.ts'

const { connected: opened, stage: closed } = createStages('qq', openStandIn)

const USER = 'A'.repeat(32)
const text = { chatId: `user:${USER}`, text: 'hi', key: 'k1' }
const failing = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
const said = {
  ...{ op: 0, id: 'e1', t: 'C2C_MESSAGE_CREATE' },
  d: { id: 'm1', content: ' hello ', timestamp: '2026-01-01T08:00:00+08:00', author: { id: USER, user_openid: USER } },
}
type Call = ReturnType<typeof signCall>

async function post({ url }: Pick<OpenStage, 'url'>, { headers, body }: Call) {
  const response = await fetch(`${url}/webhooks/qq`, { method: 'POST', headers, body })
  return { status: response.status, json: (await response.json().catch(() => undefined)) as unknown }
}

test('what a person writes is handed over and acknowledged with the opcode that QQ expects', async () => {
  const one = await opened()
  expect(await post(one, signCall(said))).toEqual({ status: 200, json: { op: 12 } })
  expect(one.ear.received).toEqual([
    {
      ...{ platform: 'qq', chatId: text.chatId, userId: USER, messageId: 'm1', text: 'hello' },
      at: Date.UTC(2026, 0, 1),
    },
  ])
})

test('a call with a forged, a foreign, an old or a changed signature is refused and never seen', async () => {
  const one = await opened()
  const right = signCall(said)
  for (const call of [
    { ...right, body: right.body.replace('hello', 'jello') },
    { ...right, headers: { ...right.headers, 'x-signature-ed25519': '' } },
    { ...right, headers: { ...right.headers, 'x-signature-ed25519': 'ab'.repeat(64) } },
    { ...right, headers: { ...right.headers, 'x-signature-timestamp': '1' } },
    signCall(said, Date.now(), 'the secret of another bot'),
    signCall(said, Date.now() - 301_000),
    signCall(said, Date.now() + 302_000),
  ])
    expect(await post(one, call)).toMatchObject({ status: 401 })
  expect(one.ear.received).toEqual([])
})

test('the check of the address is answered with a signature that QQ can verify', async () => {
  const one = await opened()
  const check = { op: 13, d: { plain_token: 'Arq0D5A61EgUu4OxUvOp', event_ts: '1725442341' } }
  const { status, json } = await post(one, signCall(check))
  const { plain_token: token, signature } = json as { plain_token: string; signature: string }
  const seed = Buffer.from((one.fake.env['QQ_CLIENT_SECRET'] ?? '').repeat(3)).subarray(0, 32)
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
  const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
  expect([status, token]).toEqual([200, check.d.plain_token])
  const signed = Buffer.from(check.d.event_ts + check.d.plain_token)
  expect(verify(null, signed, key, Buffer.from(signature, 'hex'))).toBe(true)
  expect(one.ear.received).toEqual([])
})

test('in a group the bot hears what is said to it, and answers that message', async () => {
  const one = await opened()
  const member = one.fake.member({ group: 'friends' })
  await member.say('among us')
  const id = await member.say('what is the time?', { mention: true })
  await expect.poll(() => one.ear.received.length).toBe(1)
  expect(one.ear.received).toMatchObject([
    { chatId: member.chatId, chatKind: 'group', userId: member.userId, text: 'what is the time?', isMention: true },
  ])
  await one.platform.send({ ...text, chatId: member.chatId })
  await one.platform.send({ ...text, chatId: member.chatId, key: 'k2', replyTo: 'older' })
  expect(one.fake.deliveries().map(({ replyTo }) => replyTo)).toEqual([id, 'older'])
})

test('an answer that is sent once more arrives once', async () => {
  const { platform, fake } = await opened()
  const member = fake.member()
  await member.say('hello')
  const message = { ...text, chatId: member.chatId, replyTo: 'q1' }
  fake.failSends('unanswered')
  expect(classifyDeliveryError(await failing(platform.send(message)))).toEqual({ kind: 'unsure' })
  await platform.send(message)
  expect(fake.deliveries()).toHaveLength(1)
  await platform.send({ ...message, key: 'k2' })
  expect(fake.deliveries()).toHaveLength(2)
})

test('other events, words without a text and checks that are malformed need no answer; what is no call is refused', async () => {
  const one = await opened()
  const { d } = said
  for (const event of [
    { ...said, t: 'FRIEND_ADD' },
    { ...said, d: { ...d, content: '  ' } },
    { ...said, d: { ...d, author: {} } },
    { ...said, d: 7 },
    { op: 13, d: {} },
    { ...said, t: 'GROUP_AT_MESSAGE_CREATE', d: { ...d, author: { member_openid: USER } } },
  ])
    expect(await post(one, signCall(event))).toMatchObject({ status: 200 })
  for (const body of ['null', '[]', '<xml>', '{}'])
    expect(await post(one, signCall(body))).toMatchObject({ status: 400 })
  expect(one.ear.received).toEqual([])
})

test('a token of QQ that expires during a send is renewed, a secret that is refused ends the connection', async () => {
  const { platform, fake, ear } = await opened()
  fake.expireToken()
  await platform.send(text)
  expect(fake.deliveries()).toHaveLength(1)
  fake.disturb('logout')
  expect(await failing(platform.send({ ...text, key: 'k2' }))).toMatchObject({ code: 'PLATFORM_UNAUTHORIZED' })
  expect(ear.losses).toMatchObject([{ final: true, code: 'qq_unauthorized' }])
  const again = await closed({ env: { QQ_CLIENT_SECRET: 'of another bot' } })
  const refused = await failing(again.platform.connect(again.ear))
  expect(classifyDeliveryError(refused)).toEqual({ kind: 'refused' })
  expect(String(refused)).not.toContain('of another bot')
})

test.for([
  ['busy', { kind: 'busy', retryAfterMs: 1000 }],
  ['unavailable', { kind: 'busy' }],
  ['forbidden', { kind: 'refused' }],
  ['lost', { kind: 'unsure' }],
] as const)('a message to QQ that meets %s fails with what is certain of it', async ([fault, failure]) => {
  const { platform, fake } = await opened()
  fake.failSends(fault)
  expect(classifyDeliveryError(await failing(platform.send(text)))).toEqual(failure)
  expect(fake.deliveries()).toEqual([])
})

test('what is no chat of QQ, or too long, does not leave', async () => {
  const { platform, fake } = await opened()
  for (const chatId of ['', USER, 'user:', 'room:1', 'user:../x'])
    expect(await failing(platform.send({ ...text, chatId }))).toMatchObject({ code: 'PLATFORM_REFUSED' })
  expect(await failing(platform.send({ ...text, text: 'x'.repeat(2001) }))).toMatchObject({ code: 'PLATFORM_TOO_LONG' })
  expect(fake.deliveries()).toEqual([])
  const bare = await closed({ env: { QQ_APP_ID: undefined } })
  expect(bare.platform.missing?.()).toBe('needs QQ_APP_ID')
})

const voice = { content_type: 'voice', filename: 'a.amr', size: 9, url: 'https://grouptalk.c2c.qq.com/1' }

test('speech in QQ is taken as the WAV that comes with it, and as text where QQ understood it', async () => {
  const one = await opened()
  const call = (id: string, attachments: readonly object[], content = '') =>
    post(one, signCall({ ...said, d: { ...said.d, id, content, attachments } }))
  await call('v1', [{ ...voice, voice_wav_url: '//x.qq.com/a.wav', asr_refer_text: '' }])
  await call('v2', [{ ...voice, asr_refer_text: 'buy milk' }])
  await call(
    'v3',
    [{ content_type: 'image/png', filename: 'cat.png', size: 3, url: 'https://multimedia.nt.qq.com.cn/c' }],
    'look',
  )
  await call('v4', [{ content_type: 'voice' }])
  expect(one.ear.received.map(({ text: words, files }) => [words, files])).toEqual([
    ['', [{ ref: 'https://x.qq.com/a.wav', name: 'voice.wav', mediaType: 'audio/wav', isVoice: true }]],
    [
      'buy milk',
      [{ ref: voice.url, name: 'voice.silk', mediaType: 'audio/silk', size: 9, isVoice: true, isTranscribed: true }],
    ],
    ['look', [{ ref: 'https://multimedia.nt.qq.com.cn/c', name: 'cat.png', mediaType: 'image/png', size: 3 }]],
  ])
})

test('files of QQ are fetched from servers of Tencent alone, without the token', async () => {
  const { platform, fake, ear } = await opened()
  const bytes = Buffer.from('a cat')
  await fake.member().say('see', { files: [{ name: 'cat.png', mediaType: 'image/png', bytes }] })
  await expect.poll(() => ear.received.length).toBe(1)
  const { signal } = new AbortController()
  const [file] = ear.received[0]?.files ?? []
  if (!file) throw new Error('no file came')
  expect(Buffer.from((await platform.fetch?.(file, { maxBytes: 10, signal })) ?? [])).toEqual(bytes)
  for (const ref of [
    'https://qq.com.evil.example/x',
    'http://a.qq.com/x',
    'https://evilqq.com/x',
    'file:///etc/passwd',
  ])
    await expect(platform.fetch?.({ ref, name: 'x' }, { maxBytes: 10, signal })).rejects.toMatchObject({
      code: 'PLATFORM_MEDIA',
    })
})
