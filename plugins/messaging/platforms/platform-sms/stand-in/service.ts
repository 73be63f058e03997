/** A stand-in for a vendor of text messages: an account with one number. The documents are named in its protocol. */
import { createHash, randomUUID } from 'node:crypto'
import {
  CALL_FAULTS,
  demandFault,
  type SayOptions,
  SEND_FAULTS,
  SendFaults,
  type ServiceAnswer,
  type ServiceRequest,
  StandInServer,
  WebhookCaller,
} from 'svc/sdk/kit/stand-in'
import type { LineFault, StandInDelivery, StandInMember, StandInService } from 'svc/sdk/platform'
import { plivo } from './plivo.ts'
import type { PersonText, VendorProtocol } from './protocol.ts'
import { telnyx } from './telnyx.ts'
import { twilio } from './twilio.ts'
import { vonage } from './vonage.ts'

const vendors = { twilio, vonage, plivo, telnyx } as const
const RETRIES = 5
const RETRY_MS = 100

export async function openStandIn(name: keyof typeof vendors = 'twilio'): Promise<StandInService> {
  const vendor: VendorProtocol = vendors[name]
  const carrier = new Carrier(vendor)
  const service = await StandInServer.open((request) => carrier.answer(request))
  carrier.url = service.url
  return {
    name: 'sms',
    document: vendor.document,
    config: { vendor: name, base_url: service.url, webhook_port: 0, ...vendor.config },
    env: vendor.env,
    sendFaults: SEND_FAULTS,
    lineFaults: CALL_FAULTS,
    member: ({ userId } = {}) => carrier.member(userId),
    deliveries: () => carrier.sent,
    connected: () => carrier.isKnown && !carrier.isLoggedOut,
    failSends: (fault, count) => carrier.faults.add(fault, count),
    disturb(fault) {
      demandFault(CALL_FAULTS, fault)
      if (fault === 'flap') service.cut()
      else carrier.disturb(fault)
    },
    calm: () => carrier.calm(),
    callback: (url) => carrier.caller.point(url),
    async close() {
      carrier.caller.close()
      await service.close()
    },
  }
}

class Carrier {
  url = ''
  isKnown = false
  isLoggedOut = false
  readonly sent: StandInDelivery[] = []
  readonly faults: SendFaults = new SendFaults()
  readonly caller: WebhookCaller<PersonText>
  readonly #vendor: VendorProtocol
  readonly #media: Map<string, { readonly type: string; readonly bytes: Uint8Array }> = new Map()
  #count = 0

  constructor(vendor: VendorProtocol) {
    this.#vendor = vendor
    this.caller = new WebhookCaller({
      path: vendor.path,
      create: (message) => vendor.call(message),
      retries: RETRIES,
      pauseMs: (attempt) => RETRY_MS * 2 ** attempt,
    })
  }

  /** A person who is not named by a number gets one, always the same. */
  member(name: string = `person ${++this.#count}`): StandInMember {
    const userId = /^\+\d+$/.test(name) ? name : `+1555${createNumber(name)}`
    return { chatId: userId, userId, say: async (text, options) => this.#say(userId, text, options) }
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
    if (request.path.startsWith('/cdn/')) return this.#bytes(request.path.slice(5))
    if (!this.#vendor.isAuthorized(request) || this.isLoggedOut) return this.#vendor.refuse('unauthorized')
    const known = this.#vendor.answerCheck(request)
    if (known) this.isKnown = true
    return known ?? this.#redirect(request) ?? this.#take(request)
  }

  /** Pictures are at another address, which is asked without the account. */
  #redirect({ path }: ServiceRequest): ServiceAnswer | undefined {
    if (!path.includes('/Media/')) return undefined
    const location = `${this.url.replace('127.0.0.1', 'localhost')}/cdn/${path.split('/').pop()}`
    return { status: 307, headers: { location } }
  }

  #take(request: ServiceRequest): ServiceAnswer {
    const message = this.#vendor.read(request)
    if (!message) return this.#vendor.refuse('unknown')
    const fault = this.faults.next()
    if (fault === 'lost') return 'cut'
    if (fault !== undefined && fault !== 'unanswered') return this.#vendor.refuse(fault)
    if ('refusal' in message) return message.refusal
    const { to, text } = message
    const messageId = randomUUID()
    this.sent.push({ messageId, chatId: to, raw: text, visible: text, versions: [text], buttons: [], files: [] })
    return fault === 'unanswered' ? 'cut' : this.#vendor.accept(messageId, message)
  }

  #bytes(id: string): ServiceAnswer {
    const file = this.#media.get(id)
    return file ? { headers: { 'content-type': file.type }, body: file.bytes } : { status: 404 }
  }

  #say(from: string, text: string, options: SayOptions = {}): string {
    const id = options.messageId ?? this.#vendor.createId(++this.#count)
    const files = (options.files ?? []).map(({ mediaType, bytes }) => {
      const file = `ME${++this.#count}`
      this.#media.set(file, { type: mediaType, bytes })
      return { url: `${this.url}/Media/${file}`, mediaType }
    })
    this.caller.deliver({ id, from, text, files })
    return id
  }
}

function createNumber(name: string): string {
  const digits = createHash('sha256').update(name).digest().readUInt32BE() % 10_000_000
  return String(digits).padStart(7, '0')
}
