import fc from 'fast-check'
import { expect, test } from 'vitest'
import { prove, type Style, sign, styles } from '../../../../plugins/http/webhook/signature.ts'
import { webhookSender } from './sender.ts'

const NOW = Date.UTC(2026, 0, 1)
const createSecret = (style: Style) =>
  style === 'svix' ? `whsec_${Buffer.from('a secret of svix').toString('base64')}` : 'the secret'

test.for(styles)('what a sender of the style %s signs is proven, with any payload', async (style) => {
  const sender = await webhookSender()
  await fc.assert(
    fc.asyncProperty(fc.json(), async (payload) => {
      const secret = createSecret(style)
      const { headers, body } = sender.sign({ style, secret, payload, at: NOW })
      const claim = { headers, body: Buffer.from(body), now: NOW }
      expect(prove(style, secret, claim)).toMatchObject({ ok: true })
      expect(prove(style, secret.replace('s', 'S'), claim)).toMatchObject({ ok: false, why: 'wrong' })
    }),
    { numRuns: 25 },
  )
  await sender.close()
})

test.for(styles)('what svc signs itself in the style %s is what a sender of it would', async (style) => {
  const sender = await webhookSender()
  const body = '{"a":1}'
  const { headers } = sender.sign({
    style,
    secret: createSecret(style),
    payload: body,
    id: 'e1',
    event: 'push',
    at: NOW,
  })
  expect({
    ...sign(style, createSecret(style), { id: 'e1', event: 'push', body, now: NOW }),
    'content-type': 'application/json',
  }).toEqual(headers)
  await sender.close()
})

test.for(styles)('the proof of one style opens no route of another than %s', async (style) => {
  const sender = await webhookSender()
  const secret = createSecret('generic')
  for (const other of styles.filter((each) => each !== style)) {
    const { headers, body } = sender.sign({ style: other, secret, payload: {}, at: NOW })
    expect(prove(style, secret, { headers, body: Buffer.from(body), now: NOW })).toEqual({ ok: false, why: 'missing' })
  }
  await sender.close()
})

test('a changed byte of the body breaks every signature', async () => {
  const sender = await webhookSender()
  for (const style of styles.filter((each) => each !== 'gitlab')) {
    const secret = createSecret(style)
    const { headers, body } = sender.sign({ style, secret, payload: { amount: 10 }, at: NOW })
    const changed = Buffer.from(body.replace('10', '90'))
    expect(prove(style, secret, { headers, body: changed, now: NOW })).toEqual({ ok: false, why: 'wrong' })
  }
  await sender.close()
})

test.for(['svix', 'generic'] as const)(
  'the clocks of the style %s may differ by five minutes and no more',
  async (style) => {
    const sender = await webhookSender()
    const secret = createSecret(style)
    const { headers, body } = sender.sign({ style, secret, payload: {}, at: NOW })
    const at = (seconds: number) =>
      prove(style, secret, { headers, body: Buffer.from(body), now: NOW + seconds * 1000 })
    expect([-301, -300, 0, 300, 301].map((seconds) => at(seconds).ok)).toEqual([false, true, true, true, false])
    expect(at(301)).toEqual({ ok: false, why: 'late' })
    await sender.close()
  },
)

test.for(['', 'now', '-1', '1e9', '99999999999999999999', ' 1767225600'])('"%s" is no time of a signature', (time) => {
  const headers = { 'x-webhook-timestamp': time, 'x-webhook-signature-v2': '00' }
  expect(prove('generic', 'a secret', { headers, body: Buffer.from(''), now: NOW }).ok).toBe(false)
})

test('of several svix signatures one has to be right, and a bad second version never falls back to the first', async () => {
  const sender = await webhookSender()
  const secret = createSecret('svix')
  const { headers, body } = sender.sign({ style: 'svix', secret, payload: {}, at: NOW })
  const several = { ...headers, 'svix-signature': `v1,d3Jvbmc= v2,x ${headers['svix-signature']}` }
  expect(prove('svix', secret, { headers: several, body: Buffer.from(body), now: NOW }).ok).toBe(true)
  const first = sender.sign({ style: 'generic-v1', secret, payload: {}, at: NOW })
  const second = { ...first.headers, 'x-webhook-timestamp': String(NOW / 1000), 'x-webhook-signature-v2': '00' }
  expect(prove('generic', secret, { headers: second, body: Buffer.from(first.body), now: NOW }).ok).toBe(false)
  await sender.close()
})

test('a signature with something behind it, in capitals or cut is judged as it is', async () => {
  const sender = await webhookSender()
  const { headers, body } = sender.sign({ style: 'github', secret: 'a secret', payload: {}, at: NOW })
  const right = headers['x-hub-signature-256'] ?? ''
  const judge = (text: string) =>
    prove('github', 'a secret', { headers: { 'x-hub-signature-256': text }, body: Buffer.from(body), now: NOW }).ok
  expect([right, right.toUpperCase().replace('SHA256', 'sha256')].map(judge)).toEqual([true, true])
  expect([`${right}zz`, right.slice(0, -2), `${right}00`, 'sha256=', ''].map(judge)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ])
  await sender.close()
})
