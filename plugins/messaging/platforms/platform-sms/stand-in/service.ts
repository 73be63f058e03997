/** A stand-in for a vendor of text messages: an account with one number. The documents are named in its protocol. */
import { createHash, randomUUID } from 'node:crypto'
import {
  ChatService,
  type SayOptions,
  type ServiceAnswer,
  type ServiceRequest,
  serveChatService,
} from 'svc/sdk/kit/stand-in'
import type { StandInMember, StandInService } from 'svc/sdk/platform'
import { plivo } from './plivo.ts'
import type { PersonText, VendorProtocol } from './protocol.ts'
import { telnyx } from './telnyx.ts'
import { twilio } from './twilio.ts'
import { vonage } from './vonage.ts'

const vendors = { twilio, vonage, plivo, telnyx } as const
const RETRIES = 5
const RETRY_MS = 100

export function openStandIn(name: keyof typeof vendors = 'twilio'): Promise<StandInService> {
  const vendor: VendorProtocol = vendors[name]
  const carrier = new Carrier(vendor)
  return serveChatService({
    name: 'sms',
    document: vendor.document,
    service: carrier,
    config(url) {
      carrier.url = url
      return { vendor: name, base_url: url, webhook_port: 0, ...vendor.config }
    },
    env: () => vendor.env,
    answer: (request) => carrier.answer(request),
    member: ({ userId } = {}) => carrier.member(userId),
  })
}

class Carrier extends ChatService<PersonText> {
  url = ''
  readonly #vendor: VendorProtocol
  readonly #media: Map<string, { readonly type: string; readonly bytes: Uint8Array }> = new Map()

  constructor(vendor: VendorProtocol) {
    super({
      path: vendor.path,
      create: (message) => vendor.call(message),
      retries: RETRIES,
      pauseMs: (attempt) => RETRY_MS * 2 ** attempt,
    })
    this.#vendor = vendor
  }

  /** A person who is not named by a number gets one, always the same. */
  member(name: string = `person ${this.count()}`): StandInMember {
    const userId = /^\+\d+$/.test(name) ? name : `+1555${createNumber(name)}`
    return { chatId: userId, userId, say: async (text, options) => this.#say(userId, text, options) }
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
    const { refuse } = this.#vendor
    const faults = { busy: refuse('busy'), unavailable: refuse('unavailable'), forbidden: refuse('forbidden') }
    return this.send(faults, () => this.#accept(message))
  }

  #accept(message: NonNullable<ReturnType<VendorProtocol['read']>>): ServiceAnswer {
    if ('refusal' in message) return message.refusal
    const { to, text } = message
    const messageId = randomUUID()
    this.record({ messageId, chatId: to, raw: text, visible: text })
    return this.#vendor.accept(messageId, message)
  }

  #bytes(id: string): ServiceAnswer {
    const file = this.#media.get(id)
    return file ? { headers: { 'content-type': file.type }, body: file.bytes } : { status: 404 }
  }

  #say(from: string, text: string, options: SayOptions = {}): string {
    const id = options.messageId ?? this.#vendor.createId(this.count())
    const files = (options.files ?? []).map(({ mediaType, bytes }) => {
      const file = `ME${this.count()}`
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
