/** What the vendors have in common, and the signature of each. */
import { createHash, createHmac } from 'node:crypto'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { describe, expect, test } from 'vitest'
import { plivo } from '../../../../../plugins/messaging/platforms/platform-sms/stand-in/plivo.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-sms/stand-in/service.ts'
import { telnyx } from '../../../../../plugins/messaging/platforms/platform-sms/stand-in/telnyx.ts'
import { vonage } from '../../../../../plugins/messaging/platforms/platform-sms/stand-in/vonage.ts'
import { createStages } from '../../../../support/platform-stage.ts'

const PERSON = '+15550109999'
const person = { id: 'm-1', from: PERSON, text: 'hello ✓', files: [] }
const text = { chatId: PERSON, text: 'hi', key: 'k1' }
const failing = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
const stages = (name: 'vonage' | 'plivo' | 'telnyx') => createStages('sms', () => openStandIn(name))
type Call = { readonly headers: Readonly<Record<string, string>>; readonly body: string }

async function post(url: string, path: string, { headers, body }: Call): Promise<number> {
  return (await fetch(`${url}${path}`, { method: 'POST', headers, body })).status
}

describe.for([vonage, plivo, telnyx])('$name', (vendor) => {
  const name = vendor.name as 'vonage' | 'plivo' | 'telnyx'
  const { connected, stage } = stages(name)

  test('hands over what a person texts, and refuses every change of it', async () => {
    const { ear, url } = await connected()
    const call = vendor.call(person)
    const changed = { ...call, body: call.body.replace('hello', 'jello') }
    // Plivo signs no body, but svc takes a nonce with one body only.
    expect(await post(url, vendor.path, call)).toBe(200)
    expect(await post(url, vendor.path, changed)).toBe(401)
    for (const header of Object.keys(call.headers).filter((each) => each !== 'content-type'))
      for (const value of ['', 'forged', `${call.headers[header]}x`, (call.headers[header] ?? '').slice(0, -2)]) {
        const headers = { ...call.headers, [header]: value }
        expect(await post(url, vendor.path, { ...call, headers }), `${header}: ${value}`).toBe(401)
      }
    expect(ear.received).toMatchObject([{ chatId: PERSON, userId: PERSON, messageId: 'm-1', text: 'hello ✓' }])
  })

  test('needs no answer to the own number and to blanks', async () => {
    const { ear, url } = await connected()
    for (const changes of [{ from: '+15550100000' }, { text: ' \n' }])
      expect(await post(url, vendor.path, vendor.call({ ...person, ...changes }))).toBe(200)
    expect(ear.received).toEqual([])
  })

  test('accepts a message of the maximum length and refuses a longer one and an invalid number', async () => {
    const { platform, fake } = await connected()
    const long = 'x'.repeat(platform.limits.maxTextLength)
    await platform.send({ ...text, text: long })
    expect(fake.deliveries()).toMatchObject([{ chatId: PERSON, visible: long }])
    expect(await failing(platform.send({ ...text, text: `${long}x` }))).toMatchObject({ code: 'PLATFORM_TOO_LONG' })
    expect(await failing(platform.send({ ...text, chatId: 'ada' }))).toMatchObject({ code: 'SMS_NUMBER' })
    expect(fake.deliveries()).toHaveLength(1)
  })

  test('says what is certain of a message that failed, and names no number of a person', async () => {
    const { platform, fake } = await connected()
    const kinds = {
      busy: 'busy',
      unavailable: 'busy',
      forbidden: 'refused',
      lost: 'unsure',
      unanswered: 'unsure',
    } as const
    for (const [fault, kind] of Object.entries(kinds)) {
      fake.failSends(fault as keyof typeof kinds)
      expect(classifyDeliveryError(await failing(platform.send(text))).kind, fault).toBe(kind)
    }
    const strange = await failing(platform.send({ ...text, chatId: '+12333' }))
    expect(classifyDeliveryError(strange)).toEqual({ kind: 'refused' })
    const own = String(await failing(platform.send({ ...text, chatId: '+15550100000' })))
    expect(own).not.toContain('5550100000')
  })

  test('ends the connection when the account is refused, and says what it needs', async () => {
    const { platform, fake, ear } = await connected()
    fake.disturb('logout')
    expect(await failing(platform.send(text))).toMatchObject({ code: 'PLATFORM_UNAUTHORIZED' })
    expect(ear.losses).toMatchObject([{ final: true, code: 'sms_unauthorized' }])
    const names = Object.keys(vendor.env).filter((each) => !each.endsWith('PHONE_NUMBER'))
    const bare = await stage({ env: Object.fromEntries(names.map((each) => [each, undefined])) })
    expect(bare.platform.missing?.()).toBe(`needs ${names.join(' and ')}`)
    const mute = await stage({ env: { [`${name.toUpperCase()}_PHONE_NUMBER`]: undefined } })
    expect(await failing(mute.platform.connect(mute.ear))).toMatchObject({ code: 'SMS_MISSING_PHONE_NUMBER' })
  })
})

test('a token of Vonage for another account, without a hash, of another algorithm, or of yesterday is refused', async () => {
  const { url, ear } = await stages('vonage').connected()
  const { body } = vonage.call(person)
  const now = Math.floor(Date.now() / 1000)
  const right = {
    ...{ iat: now, api_key: vonage.env['VONAGE_API_KEY'] },
    payload_hash: createHash('sha256').update(body).digest('hex'),
  }
  const send = (claims: object, alg = 'HS256') => {
    const signed = [{ alg }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    const key = vonage.env['VONAGE_SIGNATURE_SECRET'] ?? ''
    const signature = createHmac('sha256', key).update(signed).digest('base64url')
    return post(url, vonage.path, { headers: { authorization: `Bearer ${signed}.${signature}` }, body })
  }
  for (const claims of [
    { ...right, api_key: 'other' },
    { ...right, payload_hash: undefined },
    { ...right, payload_hash: createHash('sha256').update('').digest('hex') },
    { ...right, iat: now - 86_400 },
    { ...right, iat: now + 86_400 },
  ])
    expect(await send(claims)).toBe(401)
  expect(await send(right, 'none')).toBe(401)
  expect(ear.received).toEqual([])
  expect(await send(right)).toBe(200)
})

test.for([vonage, telnyx])('a call of $name that is replayed after its five minutes is refused', async (vendor) => {
  const { url, ear } = await stages(vendor.name as 'vonage').connected()
  for (const at of [Date.now() - 301_000, Date.now() + 302_000])
    expect(await post(url, vendor.path, vendor.call(person, at))).toBe(401)
  expect(ear.received).toEqual([])
  expect(await post(url, vendor.path, vendor.call(person, Date.now() - 290_000))).toBe(200)
})

test('receipts and other events need no answer', async () => {
  const { url, ear } = await stages('vonage').connected()
  const { body } = vonage.call(person)
  const picture = JSON.stringify({ ...JSON.parse(body), message_type: 'image', text: undefined })
  const signed = [
    { alg: 'HS256' },
    {
      ...{ iat: Math.floor(Date.now() / 1000), api_key: vonage.env['VONAGE_API_KEY'] },
      payload_hash: createHash('sha256').update(picture).digest('hex'),
    },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = createHmac('sha256', vonage.env['VONAGE_SIGNATURE_SECRET'] ?? '')
    .update(signed)
    .digest('base64url')
  const headers = { authorization: `Bearer ${signed}.${signature}` }
  expect(await post(url, vonage.path, { headers, body: picture })).toBe(200)
  expect(ear.received).toEqual([])
})

test('a vendor that is not known is refused before anything is connected', async () => {
  await expect(createStages('sms', () => openStandIn('plivo')).stage({ config: { vendor: 'pigeon' } })).rejects.toThrow(
    /vendor/,
  )
})
