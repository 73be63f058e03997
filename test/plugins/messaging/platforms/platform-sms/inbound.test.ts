import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-sms/stand-in/service.ts'
import { createStages, type OpenStage } from '../../../../support/platform-stage.ts'

const { connected: opened } = createStages('sms', openStandIn)

const PUBLIC = 'https://sms.example.com/webhooks/twilio'
const PERSON = '+15550109999'
function createForm(changes: Readonly<Record<string, string>> = {}): URLSearchParams {
  return new URLSearchParams({ MessageSid: 'SM1', From: PERSON, To: '+15550100000', Body: 'hello', ...changes })
}

function sign(form: URLSearchParams, token: string, url = PUBLIC): string {
  const sorted = [...form].sort(([one], [two]) => (one < two ? -1 : 1)).flat()
  return createHmac('sha1', token)
    .update(url + sorted.join(''))
    .digest('base64')
}

/** Posts as Twilio would, signed with the right token unless told otherwise. */
async function post(
  { url, fake }: { url: string; fake: OpenStage['fake'] },
  form: URLSearchParams,
  signature?: string,
) {
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' }
  const proof = signature ?? sign(form, fake.env['TWILIO_AUTH_TOKEN'] ?? '')
  if (proof) headers['x-twilio-signature'] = proof
  const response = await fetch(`${url}/webhooks/twilio`, { method: 'POST', headers, body: form.toString() })
  return { status: response.status, text: await response.text(), type: response.headers.get('content-type') }
}

test('what a person texts is handed over, and Twilio is told with an empty answer once it is safe', async () => {
  const one = await opened()
  const answer = await post(one, createForm({ Body: 'Grüße ✓ + 100 %\nand more' }))
  expect(answer).toMatchObject({ status: 200, type: 'text/xml; charset=utf-8' })
  expect(answer.text).toContain('<Response></Response>')
  expect(one.ear.received).toEqual([
    { platform: 'sms', chatId: PERSON, userId: PERSON, messageId: 'SM1', text: 'Grüße ✓ + 100 %\nand more' },
  ])
})

test('a text message with a forged, a missing or a foreign signature is refused and never seen', async () => {
  const one = await opened()
  const form = createForm()
  const right = sign(form, one.fake.env['TWILIO_AUTH_TOKEN'] ?? '')
  const changed = createForm({ Body: 'hello!' })
  for (const [sent, signature] of [
    [form, ''],
    [form, 'forged'],
    [form, sign(form, 'the token of another account')],
    [form, sign(form, one.fake.env['TWILIO_AUTH_TOKEN'] ?? '', 'https://other.example/webhooks/twilio')],
    [form, right.slice(0, -4)],
    [changed, right],
  ] as const)
    expect(await post(one, sent, signature || ' ')).toMatchObject({ status: 401 })
  expect(one.ear.received).toEqual([])
  expect((await post(one, form, right)).status).toBe(200)
})

test('the standard port may stand in the signed address or not, and what is behind a hash is not signed', async () => {
  const one = await opened({ config: { webhook_url: `${PUBLIC}#rc=5&rp=all` } })
  const token = one.fake.env['TWILIO_AUTH_TOKEN'] ?? ''
  const [bare, ported] = [createForm({ MessageSid: 'SM1' }), createForm({ MessageSid: 'SM2' })]
  expect((await post(one, bare, sign(bare, token))).status).toBe(200)
  const withPort = PUBLIC.replace('.com/', '.com:443/')
  expect((await post(one, ported, sign(ported, token, withPort))).status).toBe(200)
  const wrongPort = PUBLIC.replace('.com/', '.com:8443/')
  expect((await post(one, ported, sign(ported, token, wrongPort))).status).toBe(401)
})

test('a replayed text message keeps its id, so that the inbox knows it', async () => {
  const one = await opened()
  const form = createForm({ MessageSid: 'SM77' })
  await post(one, form)
  await post(one, form)
  expect(one.ear.received.map(({ messageId }) => messageId)).toEqual(['SM77', 'SM77'])
})

test('no one answers the own number, blanks, other numbers of the account, and words that Twilio answers itself', async () => {
  const one = await opened()
  for (const changes of [
    { From: '+15550100000' },
    { Body: ' \n\t ' },
    { To: '+15550100001' },
    { Body: 'STOP', OptOutType: 'STOP' },
  ])
    expect((await post(one, createForm(changes))).status).toBe(200)
  expect(one.ear.received).toEqual([])
})

test('a signed form that is no text message is refused, whatever it holds', async () => {
  const one = await opened()
  for (const text of ['', '{"From":"+1"}', '<xml/>', 'Body=x', 'From=&To=&MessageSid=', '%%%=%zz'])
    expect(await post(one, new URLSearchParams(text))).toMatchObject({ status: 400 })
  expect(one.ear.received).toEqual([])
})

test('a body of more than 64 KiB is refused before anything is looked at', async () => {
  const one = await opened()
  expect((await post(one, createForm({ Body: 'x'.repeat(70_000) }))).status).toBe(413)
  expect((await post(one, createForm({ Body: 'x'.repeat(60_000) }))).status).toBe(200)
})

test('a text message that could not be taken is not acknowledged, and Twilio brings it again', async () => {
  const one = await opened()
  one.ear.refuse = Number.POSITIVE_INFINITY
  const { say } = one.fake.member()
  expect((await post(one, createForm())).status).toBe(503)
  await say('please')
  one.ear.refuse = 0
  await expect.poll(() => one.ear.received.map(({ text }) => text), { timeout: 10_000 }).toEqual(['please'])
})

test('health of the text message door is public and says nothing else', async () => {
  const { url } = await opened()
  expect(await (await fetch(`${url}/health`)).text()).toBe('ok')
  expect((await fetch(`${url}/webhooks/twilio`)).status).toBe(405)
  expect((await fetch(`${url}/other`, { method: 'POST' })).status).toBe(404)
})

test('a picture is fetched behind its redirect, up to the limit, and the token never leaves Twilio', async () => {
  const one = await opened()
  const bytes = Buffer.from('a picture of a cat')
  await one.fake.member().say('', { files: [{ name: 'cat.png', mediaType: 'image/png', bytes }] })
  await expect.poll(() => one.ear.received.length, { timeout: 10_000 }).toBe(1)
  const file = one.ear.received[0]?.files?.[0]
  if (!file) throw new Error('The picture did not come.')
  expect(file).toMatchObject({ name: 'media-1.png', mediaType: 'image/png' })
  const { signal } = new AbortController()
  expect(Buffer.from((await one.platform.fetch?.(file, { maxBytes: 100, signal })) ?? [])).toEqual(bytes)
  await expect(one.platform.fetch?.(file, { maxBytes: 5, signal })).rejects.toMatchObject({
    code: 'PLATFORM_FILE_LARGE',
  })
  const strange = { ...file, ref: 'https://elsewhere.example/cat.png' }
  await expect(one.platform.fetch?.(strange, { maxBytes: 0, signal })).rejects.toMatchObject({ code: 'PLATFORM_MEDIA' })
})

test('text messages that come twice or late come as they are, with the ids by which that is seen', async () => {
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
