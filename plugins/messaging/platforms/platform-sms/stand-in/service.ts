/**
 * A stand-in for Twilio: its messages API and its calls, after twilio.com/docs/messaging/api/message-resource,
 * twilio.com/docs/messaging/guides/webhook-request, twilio.com/docs/usage/webhooks/webhooks-security and, for error codes,
 * twilio.com/docs/api/errors. Retries as with the connection overrides `#rc=5&rp=all`.
 */

import { createHash, createHmac } from 'node:crypto'
import {
  CALL_FAULTS,
  demandFault,
  type SayOptions,
  SEND_FAULTS,
  SendFaults,
  type ServiceAnswer,
  type ServiceRequest,
  StandInServer,
  type WebhookCall,
  WebhookCaller,
} from 'svc/sdk/kit/stand-in'
import type { LineFault, SendFault, StandInDelivery, StandInMember, StandInService } from 'svc/sdk/platform'

const SID = `AC${'0123456789abcdef'.repeat(2)}`
const TOKEN = 'f0e1d2c3b4a5968778695a4b3c2d1e0f'
const NUMBER = '+15550100000'
/** As it would be set at Twilio: a proxy stands between. */
const PUBLIC_URL = 'https://sms.example.com/webhooks/twilio'
const PATH = '/webhooks/twilio'
const ACCOUNT = `/2010-04-01/Accounts/${SID}`
const RETRIES = 5
const RETRY_MS = 100

/** An account with one number. */
export async function openStandIn(): Promise<StandInService> {
  const twilio = new Twilio()
  const service = await StandInServer.open((request) => twilio.answer(request))
  twilio.url = service.url
  return {
    name: 'sms',
    document: 'https://www.twilio.com/docs/messaging/api/message-resource',
    config: { base_url: service.url, webhook_url: PUBLIC_URL, webhook_port: 0 },
    env: { TWILIO_ACCOUNT_SID: SID, TWILIO_AUTH_TOKEN: TOKEN, TWILIO_PHONE_NUMBER: NUMBER },
    sendFaults: SEND_FAULTS,
    lineFaults: CALL_FAULTS,
    member: ({ userId } = {}) => twilio.member(userId),
    deliveries: () => twilio.sent,
    connected: () => twilio.isKnown && !twilio.isLoggedOut,
    failSends: (fault, count) => twilio.faults.add(fault, count),
    disturb(fault) {
      demandFault(CALL_FAULTS, fault)
      if (fault === 'flap') service.cut()
      else twilio.disturb(fault)
    },
    calm: () => twilio.calm(),
    callback: (url) => twilio.caller.point(url),
    async close() {
      twilio.caller.close()
      await service.close()
    },
  }
}

class Twilio {
  url = ''
  isKnown = false
  isLoggedOut = false
  readonly sent: StandInDelivery[] = []
  readonly faults: SendFaults = new SendFaults()
  #count = 0
  readonly caller: WebhookCaller<URLSearchParams> = new WebhookCaller({
    path: PATH,
    create: createCall,
    retries: RETRIES,
    pauseMs: (attempt) => RETRY_MS * 2 ** attempt,
  })
  readonly #media: Map<string, { readonly type: string; readonly bytes: Uint8Array }> = new Map()

  /** A person who is not named by a number gets one, always the same. */
  member(name: string = `person ${++this.#count}`): StandInMember {
    const userId = /^\+\d+$/.test(name) ? name : `+1555${createNumber(name)}`
    return { chatId: userId, userId, say: (text, options) => this.#say(userId, text, options) }
  }

  disturb(fault: LineFault): void {
    if (fault === 'logout') this.isLoggedOut = true
    else this.caller.disturb(fault)
  }

  calm(): void {
    this.isLoggedOut = false
    this.faults.clear()
    this.caller.calm()
  }

  answer(request: ServiceRequest): ServiceAnswer {
    const { path, method } = request
    if (path.startsWith('/cdn/')) return this.#bytes(path.slice(5))
    const basic = `Basic ${Buffer.from(`${SID}:${TOKEN}`).toString('base64')}`
    if (request.headers['authorization'] !== basic || this.isLoggedOut) return wrong(401, 20003, 'Authenticate')
    if (path === `${ACCOUNT}.json`) {
      this.isKnown = true
      return { body: { sid: SID, status: 'active', friendly_name: 'Test', type: 'Full' } }
    }
    if (path.startsWith(`${ACCOUNT}/Media/`))
      return {
        status: 307,
        headers: { location: `${this.url.replace('127.0.0.1', 'localhost')}/cdn/${path.split('/').pop()}` },
      }
    if (path === `${ACCOUNT}/Messages.json` && method === 'POST') return this.#take(request)
    return wrong(404, 20404, 'The requested resource was not found')
  }

  #take({ body, headers }: ServiceRequest): ServiceAnswer {
    const fault = this.faults.next()
    const refusal = faultAnswer(fault)
    if (refusal) return refusal
    const form = new URLSearchParams(body.toString('utf8'))
    const [from, to, text] = ['From', 'To', 'Body'].map((name) => form.get(name) ?? '') as [string, string, string]
    if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded') || from !== NUMBER)
      return wrong(400, 21659, `'From' ${from} is not a Twilio phone number`)
    if (!/^\+[1-9]\d{5,14}$/.test(to)) return wrong(400, 21211, `Invalid 'To' Phone Number: ${to}`)
    if (to === from) return wrong(400, 21266, `'To' and 'From' number cannot be the same: ${to}`)
    if (text.trim() === '') return wrong(400, 21602, 'Message body is required')
    if (text.length > 1600) return wrong(400, 21617, 'The concatenated message body exceeds the 1600 character limit')
    const messageId = `SM${String(++this.#count).padStart(32, '0')}`
    this.sent.push({ messageId, chatId: to, raw: text, visible: text, versions: [text], buttons: [], files: [] })
    if (fault === 'unanswered') return 'cut'
    return { status: 201, body: { sid: messageId, status: 'queued', from, to, body: text, error_code: null } }
  }

  #bytes(id: string): ServiceAnswer {
    const file = this.#media.get(id)
    return file ? { headers: { 'content-type': file.type }, body: file.bytes } : { status: 404 }
  }

  async #say(from: string, text: string, options: SayOptions = {}): Promise<string> {
    const sid = options.messageId ?? `SM${String(++this.#count).padStart(32, 'a')}`
    const form = new URLSearchParams({ AccountSid: SID, MessageSid: sid, From: from, To: NUMBER, Body: text })
    const files = options.files ?? []
    form.set('NumMedia', String(files.length))
    for (const [at, file] of files.entries()) {
      const id = `ME${++this.#count}`
      this.#media.set(id, { type: file.mediaType, bytes: file.bytes })
      form.set(`MediaUrl${at}`, `${this.url}${ACCOUNT}/Media/${id}`)
      form.set(`MediaContentType${at}`, file.mediaType)
    }
    this.caller.deliver(form)
    return sid
  }
}

function createCall(form: URLSearchParams): WebhookCall {
  const type = 'application/x-www-form-urlencoded; charset=UTF-8'
  return { headers: { 'content-type': type, 'x-twilio-signature': signature(form) }, body: form.toString() }
}

function createNumber(name: string): string {
  const digits = createHash('sha256').update(name).digest().readUInt32BE() % 10_000_000
  return String(digits).padStart(7, '0')
}

function signature(form: URLSearchParams): string {
  const sorted = [...form].sort(([one], [two]) => (one < two ? -1 : 1)).flat()
  return createHmac('sha1', TOKEN)
    .update(PUBLIC_URL + sorted.join(''))
    .digest('base64')
}

function faultAnswer(fault: SendFault | undefined): ServiceAnswer | undefined {
  if (fault === 'busy')
    return { ...(wrong(429, 20429, 'Too Many Requests') as object), headers: { 'retry-after': '1' } }
  if (fault === 'unavailable') return wrong(503, 20503, 'Service Unavailable')
  if (fault === 'forbidden') return wrong(400, 21610, 'Attempt to send to unsubscribed recipient')
  return fault === 'lost' ? 'cut' : undefined
}

function wrong(status: number, code: number, message: string): ServiceAnswer {
  return { status, body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status } }
}
