/** Plivo: plivo.com/docs/messaging/api/message and plivo.com/docs/messaging/concepts/signature-validation. */
import { createHmac, randomUUID } from 'node:crypto'
import { basic, findProblem, NUMBER, type VendorProtocol } from './protocol.ts'

const ID = 'MAMDEXAMPLE0123456789'
const TOKEN = 'plivo-auth-token-for-tests'
const PUBLIC_URL = 'https://sms.example.com/webhooks/plivo'
const ACCOUNT = `/v1/Account/${ID}/`

export const plivo: VendorProtocol = {
  name: 'plivo',
  document: 'https://www.plivo.com/docs/messaging/api/message',
  path: '/webhooks/plivo',
  config: { webhook_url: PUBLIC_URL },
  env: { PLIVO_AUTH_ID: ID, PLIVO_AUTH_TOKEN: TOKEN, PLIVO_PHONE_NUMBER: NUMBER },
  createId: () => randomUUID(),
  isAuthorized: ({ headers }) => headers['authorization'] === basic(ID, TOKEN),
  answerCheck: ({ path }) =>
    path === ACCOUNT ? { body: { api_id: randomUUID(), auth_id: ID, account_type: 'standard' } } : undefined,
  read({ path, method, json }) {
    if (path !== `${ACCOUNT}Message/` || method !== 'POST') return undefined
    const { src = '', dst = '', text = '' } = (json() ?? {}) as Record<string, string>
    const isBare = !src.startsWith('+') && !dst.startsWith('+')
    const message = { from: `+${src}`, to: `+${dst}`, text }
    const problem = isBare ? findProblem(message, 737) : 'numbers have no plus'
    return problem === undefined ? message : { refusal: wrong(400, problem) }
  },
  accept: (id) => ({
    status: 202,
    body: { api_id: randomUUID(), message: 'message(s) queued', message_uuid: [id] },
  }),
  refuse(why) {
    if (why === 'unauthorized') return wrong(401, 'Could not verify your access level for that URL.')
    if (why === 'busy') return { ...wrong(429, 'Too many requests'), headers: { 'retry-after': '1' } }
    if (why === 'unavailable') return { status: 503, body: '<html>Plivo is down for maintenance</html>' }
    if (why === 'forbidden') return wrong(400, 'destination number is opted out')
    return wrong(404, 'not found')
  },
  call({ id, from, text }) {
    const form = new URLSearchParams({
      From: from.slice(1),
      To: NUMBER.slice(1),
      MessageUUID: id,
      Type: 'sms',
      Text: text,
    })
    const nonce = randomUUID().replaceAll('-', '')
    const signature = createHmac('sha256', TOKEN)
      .update(PUBLIC_URL + nonce)
      .digest('base64')
    return {
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-plivo-signature-v2': signature,
        'x-plivo-signature-v2-nonce': nonce,
      },
      body: form.toString(),
    }
  },
}

function wrong(status: number, error: string) {
  return { status, body: { api_id: randomUUID(), error } }
}
