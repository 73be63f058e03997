/** Vonage: developer.vonage.com/en/api/messages and developer.vonage.com/en/getting-started/concepts/webhooks. */
import { createHash, createHmac, randomUUID } from 'node:crypto'
import type { ServiceAnswer } from 'svc/sdk/kit/stand-in'
import { basic, findProblem, NUMBER, type VendorProtocol } from './protocol.ts'

const KEY = 'abcd1234'
const SECRET = 'vonage-secret-for-tests'
const SIGNATURE_SECRET = 'vonage-signature-secret-for-tests'

export const vonage: VendorProtocol = {
  name: 'vonage',
  document: 'https://developer.vonage.com/en/api/messages',
  path: '/webhooks/vonage',
  env: {
    VONAGE_API_KEY: KEY,
    VONAGE_API_SECRET: SECRET,
    VONAGE_SIGNATURE_SECRET: SIGNATURE_SECRET,
    VONAGE_PHONE_NUMBER: NUMBER,
  },
  createId: () => randomUUID(),
  isAuthorized: ({ headers }) => headers['authorization'] === basic(KEY, SECRET),
  answerCheck: ({ path }) =>
    path === '/v2/applications'
      ? { body: { page_size: 1, page: 1, total_items: 0, _embedded: { applications: [] } } }
      : undefined,
  read({ path, method, json }) {
    if (path !== '/v1/messages' || method !== 'POST') return undefined
    const { from = '', to = '', text = '', channel, message_type: type } = (json() ?? {}) as Record<string, string>
    if (channel !== 'sms' || type !== 'text') return { refusal: wrong(422, 'Invalid params', 'channel') }
    if (from.startsWith('+') || to.startsWith('+')) return { refusal: wrong(422, 'Invalid params', 'leading +') }
    const message = { from: `+${from}`, to: `+${to}`, text }
    const problem = findProblem(message, 1000)
    return problem === undefined ? message : { refusal: wrong(422, 'Invalid params', problem) }
  },
  accept: (id) => ({ status: 202, body: { message_uuid: id } }),
  refuse(why) {
    if (why === 'unauthorized') return wrong(401, 'Unauthorized', 'You did not provide correct credentials.')
    if (why === 'busy') return { ...wrong(429, 'Rate Limit Hit', 'Please wait'), headers: { 'retry-after': '1' } }
    if (why === 'unavailable') return wrong(503, 'Service Unavailable', 'Try again')
    if (why === 'forbidden') return wrong(403, 'Forbidden', 'Your account does not have permission to send there')
    return wrong(404, 'Not Found', 'There is nothing here')
  },
  call({ id, from, text }, at = Date.now()) {
    const body = JSON.stringify({
      ...{ channel: 'sms', message_type: 'text', message_uuid: id, timestamp: new Date().toISOString() },
      ...{ from: from.slice(1), to: NUMBER.slice(1), text, sms: { num_messages: '1' } },
    })
    const claims = {
      ...{ iat: Math.floor(at / 1000), jti: randomUUID(), iss: 'Vonage', api_key: KEY },
      payload_hash: createHash('sha256').update(body).digest('hex'),
    }
    const signed = [{ alg: 'HS256', typ: 'JWT' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const signature = createHmac('sha256', SIGNATURE_SECRET).update(signed).digest('base64url')
    return {
      headers: { 'content-type': 'application/json', authorization: `Bearer ${signed}.${signature}` },
      body,
    }
  },
}

function wrong(status: number, title: string, detail: string): Exclude<ServiceAnswer, string> {
  const type = `https://developer.vonage.com/api-errors#${title.toLowerCase().replaceAll(' ', '-')}`
  return { status, body: { type, title, detail, instance: randomUUID() } }
}
