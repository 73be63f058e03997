/** Telnyx: developers.telnyx.com/api/messaging/send-message and developers.telnyx.com/docs/messaging/messages/receiving-webhooks. */
import { createPrivateKey, createPublicKey, randomUUID, sign } from 'node:crypto'
import { findProblem, NUMBER, type VendorProtocol } from './protocol.ts'

const KEY = 'KEY0123456789_telnyx-for-tests'
/** Ed25519, made of a fixed seed (RFC 8410). */
const privateKey = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]),
  ...{ format: 'der', type: 'pkcs8' },
})
const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')

export const telnyx: VendorProtocol = {
  name: 'telnyx',
  document: 'https://developers.telnyx.com/api/messaging/send-message',
  path: '/webhooks/telnyx',
  env: { TELNYX_API_KEY: KEY, TELNYX_PUBLIC_KEY: publicKey, TELNYX_PHONE_NUMBER: NUMBER },
  createId: () => randomUUID(),
  isAuthorized: ({ headers }) => headers['authorization'] === `Bearer ${KEY}`,
  answerCheck: ({ path }) =>
    path === '/v2/balance'
      ? { body: { data: { record_type: 'balance', balance: '12.50', currency: 'USD' } } }
      : undefined,
  read({ path, method, json }) {
    if (path !== '/v2/messages' || method !== 'POST') return undefined
    const { from = '', to = '', text = '' } = (json() ?? {}) as Record<string, string>
    const problem = findProblem({ from, to, text }, 670)
    return problem === undefined ? { from, to, text } : { refusal: wrong(422, '10015', 'Bad Request', problem) }
  },
  accept: (id, { to }) => ({
    body: { data: { record_type: 'message', direction: 'outbound', id, to: [{ phone_number: to, status: 'queued' }] } },
  }),
  refuse(why) {
    if (why === 'unauthorized') return wrong(401, '10009', 'Authentication failed', 'No key found matching the ID')
    if (why === 'busy')
      return { ...wrong(429, '10011', 'Too many requests', 'Slow down'), headers: { 'retry-after': '1' } }
    if (why === 'unavailable') return wrong(503, '10016', 'Service unavailable', 'Try again')
    if (why === 'forbidden') return wrong(403, '40300', 'Blocked due to STOP message', 'The recipient has opted out')
    return wrong(404, '10005', 'Resource not found', 'There is nothing here')
  },
  call({ id, from, text }, at = Date.now()) {
    const payload = {
      ...{ record_type: 'message', direction: 'inbound', id, type: 'SMS', from: { phone_number: from }, text },
      to: [{ phone_number: NUMBER, status: 'webhook_delivered' }],
      media: [],
    }
    const body = JSON.stringify({
      data: { record_type: 'event', event_type: 'message.received', id: randomUUID(), payload },
      meta: { attempt: 1 },
    })
    const time = String(Math.floor(at / 1000))
    const signature = sign(null, Buffer.from(`${time}|${body}`), privateKey).toString('base64')
    return {
      headers: {
        'content-type': 'application/json',
        'telnyx-timestamp': time,
        'telnyx-signature-ed25519': signature,
      },
      body,
    }
  },
}

function wrong(status: number, code: string, title: string, detail: string) {
  return { status, body: { errors: [{ code, title, detail }] } }
}
