/**
 * A stand-in for WhatsApp's Cloud API: messages and media of the Graph API, and calls with events, after
 * developers.facebook.com/docs/whatsapp/cloud-api (messages, media, webhooks, error codes).
 */

import { createHash, createHmac } from 'node:crypto'
import {
  CALL_FAULTS,
  demandFault,
  parseForm,
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
import { findProblem, type GraphMessage, listChoices, templateText, visibleText } from './rules.ts'

const NUMBER_ID = '106540352242922'
const TOKEN = 'EAAJtestTokenOfASystemUser'
const APP_SECRET = '9f8e7d6c5b4a39281706f5e4d3c2b1a0'
const VERIFY_TOKEN = 'a word of our own'
const OWN_NUMBER = '15550100000'
const PATH = '/webhooks/whatsapp'
const VERSION = 'v23.0'
const DAY_MS = 86_400_000
/** Meta tries for days; a test does not wait so long. */
const RETRY_MS = 200

/** The stand-in, and what only WhatsApp has. */
export interface WhatsAppStandIn extends StandInService {
  /** The person, or a member of the group, last wrote more than a day ago. */
  silence(chatId: string): void
  /** Types of the messages that were sent, in order. */
  types(): readonly string[]
  /** How often a message was marked as read. */
  reads(): number
}

/** A business number. A person made a `member` has just written, so their window of 24 hours is open. */
export async function openStandIn(): Promise<WhatsAppStandIn> {
  const meta = new Meta()
  const service = await StandInServer.open((request) => meta.answer(request))
  meta.url = service.url
  return {
    name: 'whatsapp',
    document: 'https://developers.facebook.com/docs/whatsapp/cloud-api',
    config: { base_url: service.url, api_version: VERSION, webhook_port: 0, webhook_path: PATH, reply_prefix: '' },
    env: {
      WHATSAPP_CLOUD_PHONE_NUMBER_ID: NUMBER_ID,
      WHATSAPP_CLOUD_ACCESS_TOKEN: TOKEN,
      WHATSAPP_CLOUD_APP_SECRET: APP_SECRET,
      WHATSAPP_CLOUD_VERIFY_TOKEN: VERIFY_TOKEN,
    },
    sendFaults: SEND_FAULTS,
    lineFaults: CALL_FAULTS,
    member: ({ userId, group } = {}) => meta.member(userId, group),
    silence: (chatId) => meta.silence(chatId),
    types: () => meta.types,
    reads: () => meta.reads,
    deliveries: () => meta.sent,
    connected: () => meta.isKnown && !meta.isLoggedOut,
    failSends: (fault, count) => meta.faults.add(fault, count),
    disturb(fault) {
      demandFault(CALL_FAULTS, fault)
      if (fault === 'flap') service.cut()
      else meta.disturb(fault)
    },
    calm: () => meta.calm(),
    callback: (url) => meta.caller.point(url),
    async close() {
      meta.caller.close()
      await service.close()
    },
  }
}

/** A message of a person as it is handed over. */
interface Written {
  readonly id: string
  readonly from: string
  readonly timestamp: string
  readonly group_id?: string
}

/** Who writes, and in which group. */
type Author = Pick<Written, 'from' | 'group_id'>

interface Stored {
  readonly type: string
  readonly name: string
  readonly bytes: Uint8Array
}

class Meta {
  url = ''
  isKnown = false
  isLoggedOut = false
  readonly sent: StandInDelivery[] = []
  readonly types: string[] = []
  reads = 0
  readonly faults: SendFaults = new SendFaults()
  #count = 0
  /** Meta calls until it is told that the message arrived. */
  readonly caller: WebhookCaller<Written> = new WebhookCaller({
    path: PATH,
    create: createCall,
    pauseMs: () => RETRY_MS,
  })
  readonly #media: Map<string, Stored> = new Map()
  /** When people wrote last. */
  readonly #wrote: Map<string, number> = new Map()
  readonly #buttons: Map<string, readonly { readonly id: string; readonly title: string }[]> = new Map()
  /** Messages whose choices are a list. */
  readonly #lists: Set<string> = new Set()

  /** A person who is not named by a number gets one, always the same. */
  member(name: string = `person ${++this.#count}`, group?: string): StandInMember {
    const userId = /^\d+$/.test(name) ? name : `1555${createNumber(name)}`
    const chatId = group === undefined ? userId : Buffer.from(`capi_group:15550100000:${group}`).toString('base64url')
    this.#wrote.set(chatId, Date.now())
    const from = { from: userId, ...(group !== undefined && { group_id: chatId }) }
    return {
      chatId,
      userId,
      say: (text, options) => this.#say(from, text, options),
      // Groups have no buttons.
      ...(group === undefined && { press: (label: string) => this.#press(userId, label) }),
    }
  }

  silence(chatId: string): void {
    this.#wrote.set(chatId, Date.now() - DAY_MS - 1000)
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
    const { path, method, query } = request
    if (request.headers['authorization'] !== `Bearer ${TOKEN}` || this.isLoggedOut)
      return wrong(401, 190, 'Error validating access token: Session has expired')
    const [, version, id, edge] = path.split('/')
    if (version === 'files') return this.#bytes(id ?? '')
    if (version !== VERSION) return wrong(400, 2635, 'You are calling a deprecated version of the API')
    if (id === NUMBER_ID && method === 'POST' && edge === 'messages') return this.#take(request)
    if (id === NUMBER_ID && method === 'POST' && path.endsWith('/media')) return this.#keep(request)
    if (id === NUMBER_ID && edge === undefined) {
      this.isKnown = true
      const fields = (query.get('fields') ?? 'display_phone_number').split(',')
      const shown = fields.includes('display_phone_number') && { display_phone_number: `+${OWN_NUMBER}` }
      return { body: { ...shown, id: NUMBER_ID } }
    }
    return this.#about(id ?? '')
  }

  #take(request: ServiceRequest): ServiceAnswer {
    const message = request.json() as GraphMessage | undefined
    if (message?.messaging_product !== 'whatsapp')
      return wrong(400, 100, '(#100) The parameter messaging_product is required.')
    if (message.status === 'read') {
      this.reads++
      return { body: { success: true } }
    }
    const fault = this.faults.next()
    const refusal = faultAnswer(fault)
    if (refusal) return refusal
    const to = (message.to ?? '').replace(/^\+/, '')
    const problem = findProblem(message, (id) => this.#media.get(id))
    if (problem) return wrong(400, 100, '(#100) Invalid parameter', problem)
    const wrote = this.#wrote.get(to)
    if (wrote === undefined) return wrong(400, 131026, '(#131026) Message undeliverable')
    if (Date.now() - wrote > DAY_MS && message.type !== 'template') return outsideWindow()
    this.types.push(message.type ?? '')
    const messageId = `wamid.OUT${++this.#count}`
    this.sent.push(this.#delivery(messageId, to, message))
    if (fault === 'unanswered') return 'cut'
    const contacts = [{ input: message.to, wa_id: to }]
    return { body: { messaging_product: 'whatsapp', contacts, messages: [{ id: messageId }] } }
  }

  #delivery(messageId: string, chatId: string, message: GraphMessage): StandInDelivery {
    const { interactive, text, type = '' } = message
    const file = message[type] as { id?: string; caption?: string; voice?: true } | undefined
    const raw = text?.body ?? templateText(message) ?? interactive?.body?.text ?? file?.caption ?? ''
    const buttons = listChoices(interactive)
    if (interactive?.type === 'list') this.#lists.add(messageId)
    this.#buttons.set(messageId, buttons)
    const stored = file?.id === undefined ? undefined : this.#media.get(file.id)
    return {
      messageId,
      chatId,
      raw,
      visible: visibleText(raw),
      versions: [raw],
      buttons: buttons.map(({ title }) => title),
      files: stored ? [{ name: stored.name, bytes: stored.bytes, ...(file?.voice && { isVoice: true }) }] : [],
    }
  }

  #keep(request: ServiceRequest): ServiceAnswer {
    const { fields, files } = parseForm(request) ?? { fields: {}, files: [] }
    const file = files.find(({ field }) => field === 'file')
    if (!file || fields['messaging_product'] !== 'whatsapp') return wrong(400, 100, '(#100) No file uploaded')
    if (file.bytes.length === 0) return wrong(400, 131053, '(#131053) Media upload error', 'The file is empty')
    if (fields['type'] !== file.mediaType) return wrong(400, 100, '(#100) Param type must be the type of the file')
    const id = String(9_000_000 + ++this.#count)
    this.#media.set(id, { name: file.name, type: file.mediaType, bytes: file.bytes })
    return { body: { id } }
  }

  #about(id: string): ServiceAnswer {
    const file = this.#media.get(id)
    if (!file) return wrong(400, 100, `Unsupported get request. Object with ID '${id}' does not exist`)
    const sha256 = createHash('sha256').update(file.bytes).digest('hex')
    const about = { url: `${this.url}/files/${id}`, mime_type: file.type, sha256, file_size: String(file.bytes.length) }
    return { body: { messaging_product: 'whatsapp', id, ...about } }
  }

  #bytes(id: string): ServiceAnswer {
    const file = this.#media.get(id)
    return file ? { headers: { 'content-type': file.type }, body: file.bytes } : { status: 404 }
  }

  async #press(from: string, label: string): Promise<void> {
    const newest = this.sent.findLast(({ chatId, buttons }) => chatId === from && buttons.includes(label))
    const button = this.#buttons.get(newest?.messageId ?? '')?.find(({ title }) => title === label)
    if (!newest || !button) throw new Error(`There is no button "${label}".`)
    const isList = this.#lists.has(newest.messageId)
    const interactive = isList
      ? { type: 'list_reply', list_reply: button }
      : { type: 'button_reply', button_reply: button }
    this.caller.deliver(
      this.#message({ from }, { type: 'interactive', interactive, context: { id: newest.messageId } }),
    )
  }

  async #say(from: Author, said: string, { quote, mention, files = [], messageId }: SayOptions = {}): Promise<string> {
    const text = mention ? `@${OWN_NUMBER} ${said}` : said
    const context = quote === undefined ? {} : { context: { from: OWN_NUMBER, id: quote } }
    const id = messageId === undefined ? {} : { id: messageId }
    // A message has one file; more of them are more messages, and the text stands under the first.
    const contents =
      files.length === 0
        ? [{ type: 'text', text: { body: text } }]
        : files.map((file, at) => this.#file(file, at === 0 ? text : ''))
    const messages = contents.map((content) => this.#message(from, { ...content, ...context, ...id }))
    for (const message of messages) this.caller.deliver(message)
    return messages[0]?.id ?? ''
  }

  #file(file: NonNullable<SayOptions['files']>[number], text: string): { readonly type: string } {
    const id = String(5_000_000 + ++this.#count)
    this.#media.set(id, { name: file.name, type: file.mediaType, bytes: file.bytes })
    const top = file.mediaType.split('/')[0] ?? ''
    const type = ['image', 'audio', 'video'].includes(top) ? top : 'document'
    const about = {
      id,
      mime_type: file.mediaType,
      ...(type === 'document' && { filename: file.name }),
      ...(file.isVoice && { voice: true }),
    }
    return { type, [type]: { ...about, ...(text && type !== 'audio' && { caption: text }) } } as { type: string }
  }

  #message(author: Author, content: { readonly type: string; readonly [key: string]: unknown }): Written {
    this.#wrote.set(author.group_id ?? author.from, Date.now())
    return { ...author, id: `wamid.IN${++this.#count}`, timestamp: String(Math.floor(Date.now() / 1000)), ...content }
  }
}

function createCall(message: Written): WebhookCall {
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: OWN_NUMBER, phone_number_id: NUMBER_ID },
    contacts: [{ profile: { name: `Person ${message.from.slice(-4)}` }, wa_id: message.from }],
    messages: [message],
  }
  const entry = [{ id: '102290129340398', changes: [{ field: 'messages', value }] }]
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry })
  const signature = `sha256=${createHmac('sha256', APP_SECRET).update(body).digest('hex')}`
  return { headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature }, body }
}

function faultAnswer(fault: SendFault | undefined): ServiceAnswer | undefined {
  if (fault === 'busy')
    return { ...(wrong(429, 130429, '(#130429) Rate limit hit') as object), headers: { 'retry-after': '1' } }
  if (fault === 'unavailable') return wrong(503, 131016, '(#131016) Service unavailable')
  if (fault === 'forbidden') return outsideWindow()
  return fault === 'lost' ? 'cut' : undefined
}

function createNumber(name: string): string {
  const digits = createHash('sha256').update(name).digest().readUInt32BE() % 10_000_000
  return String(digits).padStart(7, '0')
}

function outsideWindow(): ServiceAnswer {
  return wrong(
    400,
    131047,
    '(#131047) Re-engagement message',
    'More than 24 hours have passed since the recipient last replied',
  )
}

function wrong(status: number, code: number, message: string, details?: string): ServiceAnswer {
  const error = { message, type: 'OAuthException', code, fbtrace_id: 'Az8or2yhqkZfEZ-_4Qn_Bam' }
  return { status, body: { error: details === undefined ? error : { ...error, error_data: { details } } } }
}
