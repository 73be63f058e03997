import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-whatsapp/stand-in/service.ts'
import { createStages, type OpenStage } from '../../../../support/platform-stage.ts'

const { connected: opened } = createStages('whatsapp', openStandIn)

const PATH = '/webhooks/whatsapp'
/** A call as Meta makes it, with these messages. */
function call(messages: readonly object[], value: object = {}): string {
  const metadata = { display_phone_number: '15550100000', phone_number_id: '106540352242922' }
  const contacts = [{ profile: { name: 'Ada' }, wa_id: '15550109999' }]
  const whole = { messaging_product: 'whatsapp', metadata, contacts, messages, ...value }
  return JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '1', changes: [{ field: 'messages', value: whole }] }],
  })
}

const from = '15550109999'
const hello = { from, id: 'wamid.1', timestamp: '1767225600', type: 'text', text: { body: 'hello' } }
const getSecret = ({ fake }: OpenStage) => fake.env['WHATSAPP_CLOUD_APP_SECRET'] ?? ''
const sign = (body: string, secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

async function post(one: OpenStage, body: string, signature = sign(body, getSecret(one))) {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (signature) headers['x-hub-signature-256'] = signature
  const response = await fetch(`${one.url}${PATH}`, { method: 'POST', headers, body })
  await response.arrayBuffer()
  return response.status
}

test('a WhatsApp message comes with its person, its time and what it answers', async () => {
  const one = await opened()
  expect(await post(one, call([{ ...hello, context: { from: '1', id: 'wamid.0' } }]))).toBe(200)
  expect(one.ear.received).toEqual([
    {
      platform: 'whatsapp',
      chatId: from,
      userId: from,
      messageId: 'wamid.1',
      text: 'hello',
      userName: 'Ada',
      quote: { messageId: 'wamid.0' },
      at: 1_767_225_600_000,
    },
  ])
})

test('a WhatsApp call with a forged, a missing or a foreign signature is refused and never seen', async () => {
  const one = await opened()
  const body = call([hello])
  const right = sign(body, getSecret(one))
  for (const wrong of ['', 'sha256=', right.slice(7), right.replace('sha256', 'sha1'), `${right}00`])
    expect(await post(one, body, wrong || ' ')).toBe(401)
  expect(await post(one, body, sign(body, 'the secret of another app'))).toBe(401)
  expect(await post(one, `${body} `, right)).toBe(401)
  expect(one.ear.received).toEqual([])
})

test('a replayed WhatsApp call keeps the ids of its messages, so that the inbox knows them', async () => {
  const one = await opened()
  await post(one, call([hello]))
  await post(one, call([hello]))
  expect(one.ear.received.map(({ messageId }) => messageId)).toEqual(['wamid.1', 'wamid.1'])
})

test.for([
  'not json',
  '[]',
  'null',
  '{"object":"page","entry":[]}',
  '{"object":"whatsapp_business_account","entry":{}}',
  '<xml/>',
  '',
])('a signed body that is no call of WhatsApp is refused: %s', async (body) => {
  const one = await opened()
  expect(await post(one, body)).toBe(400)
  expect(one.ear.received).toEqual([])
})

test('what is new or broken in a WhatsApp call does not stop what is known', async () => {
  const one = await opened()
  const strange = [{ id: 7 }, { ...hello, id: 'wamid.2', type: 'hologram', text: undefined }, [], { text: 'x' }]
  expect(await post(one, call([...strange, hello]))).toBe(200)
  expect(one.ear.received.map(({ messageId }) => messageId)).toEqual(['wamid.1'])
})

test('reactions, blanks, and messages of other numbers are not answered', async () => {
  const one = await opened()
  const reaction = { ...hello, type: 'reaction', text: undefined, reaction: { message_id: 'wamid.0', emoji: '👍' } }
  const blank = { ...hello, text: { body: ' \n ' } }
  expect(await post(one, call([reaction, blank]))).toBe(200)
  expect(await post(one, call([hello], { metadata: { phone_number_id: '999' } }))).toBe(200)
  expect(one.ear.received).toEqual([])
})

test('places, contacts and pressed buttons come as words', async () => {
  const one = await opened()
  const place = { latitude: 52.5, longitude: 13.4, name: 'Gate', address: 'Berlin' }
  const contacts = [{ name: { formatted_name: 'Bo' }, phones: [{ phone: '+1 555' }] }]
  const interactive = { type: 'button_reply', button_reply: { id: 'approve:7', title: 'Allow' } }
  await post(
    one,
    call([
      { ...hello, id: 'a', type: 'location', text: undefined, location: place },
      { ...hello, id: 'b', type: 'contacts', text: undefined, contacts },
      { ...hello, id: 'c', type: 'interactive', text: undefined, interactive },
    ]),
  )
  expect(one.ear.received.map(({ text, press }) => [text, press])).toEqual([
    ['Location: Gate, Berlin, 52.5, 13.4', undefined],
    ['Contact: Bo, +1 555', undefined],
    ['Allow', 'approve:7'],
  ])
})

test('the handshake gives the challenge back to who knows the word, and to no one else', async () => {
  const { url, fake } = await opened()
  const word = encodeURIComponent(fake.env['WHATSAPP_CLOUD_VERIFY_TOKEN'] ?? '')
  const ask = (mode: string, token: string) =>
    fetch(`${url}${PATH}?hub.mode=${mode}&hub.verify_token=${token}&hub.challenge=1158201444`)
  const right = await ask('subscribe', word)
  expect([right.status, await right.text()]).toEqual([200, '1158201444'])
  for (const [mode, token] of [
    ['subscribe', 'guess'],
    ['subscribe', ''],
    ['unsubscribe', word],
  ] as const)
    expect((await ask(mode, token)).status).toBe(403)
})

test('a WhatsApp body of more than 3 MiB is refused before anything is looked at', async () => {
  const one = await opened()
  const large = (count: number) => call([{ ...hello, text: { body: 'x'.repeat(count) } }])
  expect(await post(one, large(3.1 * 2 ** 20))).toBe(413)
  expect(await post(one, large(2.9 * 2 ** 20))).toBe(200)
})

test('a WhatsApp message that could not be taken is not acknowledged, and Meta brings it again', async () => {
  const one = await opened()
  one.ear.refuse = Number.POSITIVE_INFINITY
  expect(await post(one, call([hello]))).toBe(503)
  const { say } = one.fake.member()
  await say('please')
  one.ear.refuse = 0
  await expect.poll(() => one.ear.received.map(({ text }) => text), { timeout: 10_000 }).toEqual(['please'])
})

test('what begins with the own header came back and is not answered', async () => {
  const one = await opened({ config: { reply_prefix: '*bot*\\n' } })
  await post(
    one,
    call([
      { ...hello, id: 'a', text: { body: '*bot*\nhello' } },
      { ...hello, id: 'b' },
    ]),
  )
  expect(one.ear.received.map(({ messageId }) => messageId)).toEqual(['b'])
})

test('files of people are fetched in two steps, with their names, up to the limit', async () => {
  const one = await opened()
  const bytes = Buffer.from('%PDF-1.7 …')
  const { say } = one.fake.member()
  await say('my plan', { files: [{ name: 'plan.pdf', mediaType: 'application/pdf', bytes }] })
  await expect.poll(() => one.ear.received.length, { timeout: 10_000 }).toBe(1)
  const [message] = one.ear.received
  const file = message?.files?.[0]
  if (!file) throw new Error('The file did not come.')
  expect([message?.text, file.name, file.mediaType]).toEqual(['my plan', 'plan.pdf', 'application/pdf'])
  const { signal } = new AbortController()
  expect(Buffer.from((await one.platform.fetch?.(file, { maxBytes: 0, signal })) ?? [])).toEqual(bytes)
  await expect(one.platform.fetch?.(file, { maxBytes: 3, signal })).rejects.toMatchObject({
    code: 'PLATFORM_FILE_LARGE',
  })
  const gone = { ...file, ref: '404' }
  await expect(one.platform.fetch?.(gone, { maxBytes: 0, signal })).rejects.toMatchObject({ code: 'WHATSAPP_MEDIA' })
})

test('WhatsApp messages that come twice or late come as they are, with the ids by which that is seen', async () => {
  const one = await opened()
  const { say } = one.fake.member()
  one.fake.disturb('twice')
  const twice = await say('twice')
  one.fake.disturb('late')
  const late = await say('late')
  const behind = await say('behind')
  await expect
    .poll(() => one.ear.received.map(({ messageId }) => messageId), { timeout: 10_000 })
    .toEqual([twice, twice, behind, late])
})

test('health of the WhatsApp door is public and says nothing else', async () => {
  const { url } = await opened()
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' })
  expect((await fetch(`${url}/other`, { method: 'POST' })).status).toBe(404)
})
