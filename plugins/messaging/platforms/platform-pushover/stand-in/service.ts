/**
 * A stand-in for Pushover with one account, one application and one Open Client device, after pushover.net/api (messages, user
 * validation, friendly to the API) and pushover.net/api/client (downloading and deleting messages, WebSocket).
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import {
  demandFault,
  LINE_FAULTS,
  type SayOptions,
  SEND_FAULTS,
  SendFaults,
  type ServiceAnswer,
  type ServiceRequest,
  StandInServer,
} from 'svc/sdk/kit/stand-in'
import type { LineFault, SendFault, StandInDelivery, StandInMember, StandInService } from 'svc/sdk/platform'
import { type WebSocket, WebSocketServer } from 'ws'

const TOKEN = 'azGDORePK8gMaC0QOYAMyEEuzJnyUi'
const USER = 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG'
const DEVICE = 'svcdeviceidfortests'
const SECRET = 'pushover-secret-for-tests'
const OWN_APP = 1

interface Message {
  readonly id: number
  readonly umid: number
  readonly aid: number
  readonly app: string
  readonly message: string
  readonly title?: string
  readonly date: number
  readonly priority: number
}

/** The stand-in, and what only tests of this platform need. */
export interface PushoverStandIn extends StandInService {
  /** Says a letter on the stream, such as `A`: the device logged in elsewhere. */
  signal(letter: string): void
  /** The messages of the month are used up. */
  useUp(): void
}

export async function openStandIn(): Promise<PushoverStandIn> {
  const pushover = new Pushover()
  const service = await StandInServer.open(
    (request) => pushover.answer(request),
    (request, socket, head) => pushover.upgrade(request, socket, head),
  )
  return {
    name: 'pushover',
    document: 'https://pushover.net/api/client',
    config: { base_url: service.url, stream_url: `${service.url.replace('http', 'ws')}/push` },
    env: { PUSHOVER_TOKEN: TOKEN, PUSHOVER_USER: USER, PUSHOVER_DEVICE_ID: DEVICE, PUSHOVER_SECRET: SECRET },
    sendFaults: SEND_FAULTS,
    lineFaults: LINE_FAULTS,
    member: ({ userId } = {}) => pushover.member(userId),
    deliveries: () => pushover.sent,
    connected: () => pushover.streams.size > 0 && !pushover.isLoggedOut,
    failSends: (fault, count) => pushover.faults.add(fault, count),
    disturb(fault) {
      demandFault(LINE_FAULTS, fault)
      pushover.disturb(fault)
      if (fault === 'flap' || fault === 'logout') service.cut()
    },
    calm: () => pushover.calm(),
    signal: (letter) => pushover.signal(letter),
    useUp: () => pushover.useUp(),
    async close() {
      for (const stream of pushover.streams) stream.terminate()
      await service.close()
    },
  }
}

class Pushover {
  readonly streams: Set<WebSocket> = new Set()
  readonly sent: StandInDelivery[] = []
  readonly faults: SendFaults = new SendFaults()
  readonly #server = new WebSocketServer({ noServer: true })
  #inbox: Message[] = []
  readonly #apps: Map<string, number> = new Map()
  #fault: LineFault | undefined
  #late: Message | undefined
  #isUsedUp = false
  #count = 0

  get isLoggedOut(): boolean {
    return this.#fault === 'logout'
  }

  member(name: string = `program ${this.#apps.size}`): StandInMember {
    const known = this.#apps.get(name) ?? (Number(name) > OWN_APP ? Number(name) : OWN_APP + 1 + this.#apps.size)
    this.#apps.set(name, known)
    return { chatId: 'inbox', userId: String(known), say: async (text, options) => this.#say(known, text, options) }
  }

  disturb(fault: LineFault): void {
    if (fault !== 'flap') this.#fault = fault
  }

  calm(): void {
    this.#fault = undefined
    this.#isUsedUp = false
    this.faults.clear()
    if (this.#late) this.#keep(this.#late)
    this.#late = undefined
  }

  useUp(): void {
    this.#isUsedUp = true
  }

  signal(letter: string): void {
    if (this.#fault === 'silence') return
    for (const stream of this.streams) stream.send(Buffer.from(letter))
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.#fault === 'silence') return
    this.#server.handleUpgrade(request, socket, head, (stream) => {
      stream.on('close', () => this.streams.delete(stream)).on('error', () => stream.terminate())
      stream.once('message', (data) => {
        if (String(data) !== `login:${DEVICE}:${SECRET}\n` || this.isLoggedOut) return stream.send(Buffer.from('E'))
        this.streams.add(stream)
        stream.send(Buffer.from('#'))
        return undefined
      })
    })
  }

  answer(request: ServiceRequest): ServiceAnswer {
    const { path, method, query, body } = request
    if (this.#fault === 'silence') return 'open'
    const form = new URLSearchParams(body.toString('utf8'))
    if (path === '/1/messages.json' && method === 'GET')
      return query.get('secret') === SECRET && query.get('device_id') === DEVICE && !this.isLoggedOut
        ? { body: { status: 1, request: randomUUID(), messages: this.#inbox } }
        : wrong(400, 'secret is invalid')
    if (path === `/1/devices/${DEVICE}/update_highest_message.json`) {
      if (form.get('secret') !== SECRET) return wrong(400, 'secret is invalid')
      this.#inbox = this.#inbox.filter(({ id }) => id > Number(form.get('message')))
      return { body: { status: 1, request: randomUUID() } }
    }
    if (form.get('token') !== TOKEN || this.isLoggedOut) return wrong(400, 'application token is invalid')
    if (form.get('user') !== USER) return wrong(400, 'user key is invalid')
    if (path === '/1/users/validate.json')
      return { body: { status: 1, group: 0, devices: ['phone', 'svc'], request: randomUUID() } }
    if (path === '/1/messages.json') return this.#take(form)
    return { status: 404 }
  }

  #take(form: URLSearchParams): ServiceAnswer {
    const fault = this.faults.next()
    const refusal = faultAnswer(fault)
    if (refusal) return refusal
    if (this.#isUsedUp)
      return { ...wrong(429, 'application is over its quota'), headers: { 'x-limit-app-remaining': '0' } }
    const [text, title] = [form.get('message') ?? '', form.get('title') ?? '']
    if (text === '') return wrong(400, 'message cannot be blank')
    if ([...text].length > 1024) return wrong(400, 'message is too long')
    const messageId = randomUUID()
    const shown = { raw: text, visible: text, versions: [text], buttons: [], files: [] }
    this.sent.push({ messageId, chatId: 'inbox', ...shown })
    // It goes to all devices of the account, that of svc among them.
    this.#keep({ ...this.#create(OWN_APP, text), title })
    return fault === 'unanswered' ? 'cut' : { body: { status: 1, request: messageId } }
  }

  #create(aid: number, text: string): Message {
    const id = ++this.#count
    return {
      id,
      umid: 7000 + id,
      aid,
      app: `app ${aid}`,
      message: text,
      date: Math.floor(Date.now() / 1000),
      priority: 0,
    }
  }

  #say(app: number, text: string, { messageId }: SayOptions = {}): string {
    const made = { ...this.#create(app, text), ...(messageId !== undefined && { umid: Number(messageId) }) }
    const fault = this.#fault
    if (fault === 'late' || fault === 'twice') this.#fault = undefined
    if (fault === 'late') this.#late = made
    else this.#keep(made)
    if (fault === 'twice') this.#keep({ ...made, id: ++this.#count })
    if (fault !== 'late' && this.#late) {
      this.#keep({ ...this.#late, id: ++this.#count })
      this.#late = undefined
    }
    return String(made.umid)
  }

  #keep(message: Message): void {
    this.#inbox.push(message)
    this.signal('!')
  }
}

function faultAnswer(fault: SendFault | undefined): ServiceAnswer | undefined {
  if (fault === 'busy') return { ...wrong(429, 'slow down'), headers: { 'retry-after': '1' } }
  if (fault === 'unavailable') return { status: 503, body: '<html>maintenance</html>' }
  if (fault === 'forbidden') return wrong(400, 'user has no active devices')
  return fault === 'lost' ? 'cut' : undefined
}

function wrong(status: number, error: string): Exclude<ServiceAnswer, string> {
  return { status, body: { status: 0, errors: [error], request: randomUUID() } }
}
