/**
 * A stand-in for a Gotify server with one account: messages, their stream and the account, after gotify.net/api-docs and
 * gotify.net/docs/pushmsg.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import {
  demandFault,
  type SayOptions,
  SEND_FAULTS,
  SendFaults,
  type ServiceAnswer,
  type ServiceRequest,
  StandInServer,
  wordsOfMarkdown,
} from 'svc/sdk/kit/stand-in'
import type { LineFault, SendFault, StandInDelivery, StandInMember, StandInService } from 'svc/sdk/platform'
import { type WebSocket, WebSocketServer } from 'ws'

const CLIENT = 'CclientTokenForTests'
const APP = 'AappTokenForTests'
const OWN_APP = 1
/** Ids of messages only grow, so that none comes late. */
const FAULTS: readonly LineFault[] = ['twice', 'flap', 'silence', 'logout']

interface Message {
  readonly id: number
  readonly appid: number
  readonly message: string
  readonly title?: string
  readonly priority: number
  readonly date: string
  readonly extras?: Readonly<Record<string, unknown>>
}

export async function openStandIn(): Promise<StandInService> {
  const gotify = new Gotify()
  const service = await StandInServer.open(
    (request) => gotify.answer(request),
    (request, socket, head) => gotify.upgrade(request, socket, head),
  )
  return {
    name: 'gotify',
    document: 'https://gotify.net/api-docs',
    config: {},
    env: { GOTIFY_URL: service.url, GOTIFY_CLIENT_TOKEN: CLIENT, GOTIFY_APP_TOKEN: APP },
    sendFaults: SEND_FAULTS,
    lineFaults: FAULTS,
    member: ({ userId } = {}) => gotify.member(userId),
    deliveries: () => gotify.sent,
    connected: () => gotify.streams.size > 0 && !gotify.isLoggedOut,
    failSends: (fault, count) => gotify.faults.add(fault, count),
    disturb(fault) {
      demandFault(FAULTS, fault)
      gotify.disturb(fault)
      if (fault === 'flap' || fault === 'logout') service.cut()
    },
    calm: () => gotify.calm(),
    async close() {
      for (const stream of gotify.streams) stream.terminate()
      await service.close()
    },
  }
}

class Gotify {
  readonly streams: Set<WebSocket> = new Set()
  readonly sent: StandInDelivery[] = []
  readonly faults: SendFaults = new SendFaults()
  readonly #server = new WebSocketServer({ noServer: true })
  readonly #messages: Message[] = []
  readonly #apps: Map<string, number> = new Map()
  #fault: LineFault | undefined

  get isLoggedOut(): boolean {
    return this.#fault === 'logout'
  }

  /** Everybody who publishes has an application. */
  member(name: string = `program ${this.#apps.size}`): StandInMember {
    const number = Number(name)
    const known = this.#apps.get(name) ?? (number > OWN_APP ? number : OWN_APP + 1 + this.#apps.size)
    this.#apps.set(name, known)
    return { chatId: 'inbox', userId: String(known), say: async (text, options) => this.#say(known, text, options) }
  }

  disturb(fault: LineFault): void {
    if (fault !== 'flap') this.#fault = fault
  }

  calm(): void {
    this.#fault = undefined
    this.faults.clear()
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://service')
    if (pathname !== '/stream' || searchParams.get('token') !== CLIENT || this.isLoggedOut)
      return void socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n')
    if (this.#fault === 'silence') return
    this.#server.handleUpgrade(request, socket, head, (stream) => {
      this.streams.add(stream)
      stream.on('close', () => this.streams.delete(stream)).on('error', () => stream.terminate())
    })
  }

  answer(request: ServiceRequest): ServiceAnswer {
    const { path, method, headers, query } = request
    if (this.#fault === 'silence') return 'open'
    const key = headers['x-gotify-key']
    if (![CLIENT, APP].includes(key ?? '') || this.isLoggedOut)
      return wrong(401, 'you need to provide a valid access token or user credentials to access this api')
    if (path === '/message' && method === 'POST')
      return key === APP ? this.#take(request) : wrong(403, 'you are not allowed to access this api')
    if (key !== CLIENT) return wrong(403, 'you are not allowed to access this api')
    if (path === '/current/user') return { body: { id: 1, name: 'ada', admin: true } }
    if (path === '/message')
      return { body: this.#page(Number(query.get('limit') ?? 100), Number(query.get('since') ?? 0)) }
    return wrong(404, 'page not found')
  }

  #take({ json }: ServiceRequest): ServiceAnswer {
    const fault = this.faults.next()
    const refusal = faultAnswer(fault)
    if (refusal) return refusal
    const { message = '', title, priority = 0, extras } = (json() ?? {}) as Partial<Message>
    if (message === '') return wrong(400, "Field 'message' is required")
    const made = this.#publish(OWN_APP, message, { priority, ...(title && { title }), ...(extras && { extras }) })
    const isMarkdown = JSON.stringify(extras?.['client::display'] ?? '').includes('text/markdown')
    const visible = isMarkdown ? wordsOfMarkdown(message) : message
    const shown = { raw: message, visible, versions: [message], buttons: [], files: [] }
    this.sent.push({ messageId: String(made.id), chatId: 'inbox', ...shown })
    return fault === 'unanswered' ? 'cut' : { body: made }
  }

  #page(limit: number, since: number) {
    if (limit < 1 || limit > 200) return { messages: [], paging: { limit } }
    const behind = this.#messages.filter(({ id }) => since === 0 || id < since).reverse()
    return { messages: behind.slice(0, limit), paging: { size: Math.min(limit, behind.length), limit } }
  }

  #say(app: number, text: string, { messageId }: SayOptions = {}): string {
    const again = this.#messages.find(({ id }) => String(id) === messageId)
    if (again) this.#stream(again)
    const id = again?.id ?? this.#publish(app, text, { priority: 0 }).id
    return String(id)
  }

  #publish(appid: number, message: string, more: Pick<Message, 'priority' | 'title' | 'extras'>): Message {
    const made = { id: this.#messages.length + 1, appid, message, date: new Date().toISOString(), ...more }
    this.#messages.push(made)
    this.#stream(made)
    if (this.#fault === 'twice' && appid !== OWN_APP) {
      this.#stream(made)
      this.#fault = undefined
    }
    return made
  }

  #stream(message: Message): void {
    if (this.#fault === 'silence') return
    for (const stream of this.streams) stream.send(JSON.stringify(message))
  }
}

function faultAnswer(fault: SendFault | undefined): ServiceAnswer | undefined {
  if (fault === 'busy') return { ...wrong(429, 'slow down'), headers: { 'retry-after': '1' } }
  if (fault === 'unavailable') return { status: 503, body: '<html>the proxy has no server</html>' }
  if (fault === 'forbidden') return wrong(403, 'you are not allowed to access this api')
  return fault === 'lost' ? 'cut' : undefined
}

function wrong(errorCode: number, errorDescription: string): Exclude<ServiceAnswer, string> {
  return { status: errorCode, body: { error: 'Error', errorCode, errorDescription } }
}
