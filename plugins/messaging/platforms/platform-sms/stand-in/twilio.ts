/**
 * Twilio: twilio.com/docs/messaging/api/message-resource, twilio.com/docs/messaging/guides/webhook-request,
 * twilio.com/docs/usage/webhooks/webhooks-security and, for error codes, twilio.com/docs/api/errors. Retries as with the connection
 * overrides `#rc=5&rp=all`.
 */
import { createHmac } from 'node:crypto'
import type { ServiceAnswer } from 'svc/sdk/kit/stand-in'
import { basic, findProblem, NUMBER, type VendorProtocol } from './protocol.ts'

const SID = `AC${'0123456789abcdef'.repeat(2)}`
const TOKEN = 'f0e1d2c3b4a5968778695a4b3c2d1e0f'
/** As it would be set at Twilio: a proxy stands between. */
const PUBLIC_URL = 'https://sms.example.com/webhooks/twilio'
const ACCOUNT = `/2010-04-01/Accounts/${SID}`

/** By the problem that the stand-ins of all vendors find. */
const CODES: readonly (readonly [RegExp, number])[] = [
  [/is not a number of/, 21659],
  [/^Invalid 'To'/, 21211],
  [/cannot be the same/, 21266],
  [/is required/, 21602],
]

export const twilio: VendorProtocol = {
  name: 'twilio',
  document: 'https://www.twilio.com/docs/messaging/api/message-resource',
  path: '/webhooks/twilio',
  config: { webhook_url: PUBLIC_URL },
  env: { TWILIO_ACCOUNT_SID: SID, TWILIO_AUTH_TOKEN: TOKEN, TWILIO_PHONE_NUMBER: NUMBER },
  createId: (count) => `SM${String(count).padStart(32, 'a')}`,
  isAuthorized: ({ headers }) => headers['authorization'] === basic(SID, TOKEN),
  answerCheck: ({ path }) =>
    path === `${ACCOUNT}.json`
      ? { body: { sid: SID, status: 'active', friendly_name: 'Test', type: 'Full' } }
      : undefined,
  read({ path, method, headers, body }) {
    if (path !== `${ACCOUNT}/Messages.json` || method !== 'POST') return undefined
    const form = new URLSearchParams(body.toString('utf8'))
    const [from = '', to = '', text = ''] = ['From', 'To', 'Body'].map((name) => form.get(name) ?? '')
    const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded')
    const problem = isForm ? findProblem({ from, to, text }, 1600) : `'From' ${from} is not a number of this account`
    if (problem === undefined) return { from, to, text }
    const [, code = 21617] = CODES.find(([words]) => words.test(problem)) ?? []
    return { refusal: wrong(400, code, problem) }
  },
  accept: (sid, { from, to, text }) => ({
    status: 201,
    body: { sid, status: 'queued', from, to, body: text, error_code: null },
  }),
  refuse(why) {
    if (why === 'unauthorized') return wrong(401, 20003, 'Authenticate')
    if (why === 'busy') return { ...wrong(429, 20429, 'Too Many Requests'), headers: { 'retry-after': '1' } }
    if (why === 'unavailable') return wrong(503, 20503, 'Service Unavailable')
    if (why === 'forbidden') return wrong(400, 21610, 'Attempt to send to unsubscribed recipient')
    return wrong(404, 20404, 'The requested resource was not found')
  },
  call({ id, from, text, files }) {
    const form = new URLSearchParams({ AccountSid: SID, MessageSid: id, From: from, To: NUMBER, Body: text })
    form.set('NumMedia', String(files.length))
    for (const [at, { url, mediaType }] of files.entries()) {
      form.set(`MediaUrl${at}`, url)
      form.set(`MediaContentType${at}`, mediaType)
    }
    const type = 'application/x-www-form-urlencoded; charset=UTF-8'
    return { headers: { 'content-type': type, 'x-twilio-signature': sign(form) }, body: form.toString() }
  },
}

function sign(form: URLSearchParams): string {
  const sorted = [...form].sort(([one], [two]) => (one < two ? -1 : 1)).flat()
  return createHmac('sha1', TOKEN)
    .update(PUBLIC_URL + sorted.join(''))
    .digest('base64')
}

function wrong(status: number, code: number, message: string): Exclude<ServiceAnswer, string> {
  return { status, body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status } }
}
