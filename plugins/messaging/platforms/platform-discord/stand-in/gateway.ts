/** The gateway of the stand-in for Discord (discord.com/developers/docs/events/gateway): sessions, events, resuming. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'

const INTENTS = (1 << 9) | (1 << 12) | (1 << 15)
const HEARTBEAT_MS = 41_250

/** A user as Discord tells it; `null` is a word of the wire. */
export interface DiscordUser {
  readonly id: string
  readonly username: string
  readonly discriminator: string
  readonly global_name: string | null
  readonly avatar: string | null
  readonly bot: boolean
}

/** What the first event says (.../events/gateway-events#ready). */
export function createReady(
  user: DiscordUser,
  place: { readonly session: string; readonly url: string; readonly application: string },
) {
  const { session: session_id, url: resume_gateway_url, application: id } = place
  return { v: 10, user, guilds: [], session_id, resume_gateway_url, application: { id, flags: 0, flags_new: '0' } }
}

/** Who may come in. */
export interface GatewayAccount {
  readonly token: string
  readonly user: DiscordUser
  readonly applicationId: string
  isLoggedOut(): boolean
  newId(): string
  url(): string
}

interface Session {
  readonly id: string
  socket: WebSocket | undefined
  readonly events: { readonly t: string; readonly d: unknown; readonly s: number }[]
}

/** One session at a time, with all events it ever sent: it can be resumed until it is dropped. */
export class DiscordGateway {
  readonly handshakes: ('identify' | 'resume')[] = []
  readonly #account: GatewayAccount
  readonly #sockets: WebSocketServer = new WebSocketServer({ noServer: true })
  #session: Session | undefined
  /** What was not sent in a silence. */
  #unsent: object[] = []
  isSilent = false

  constructor(account: GatewayAccount) {
    this.#account = account
  }

  get isConnected(): boolean {
    return this.#session?.socket?.readyState === 1
  }

  /** An event counts as sent even if no client is connected: a client that resumes gets it. */
  dispatch(type: string, data: unknown): void {
    if (!this.#session) return
    const { events, socket } = this.#session
    const event = { t: type, d: data, s: (events.at(-1)?.s ?? 1) + 1 }
    events.push(event)
    if (this.isSilent) this.#unsent.push({ op: 0, ...event })
    else tell(socket, { op: 0, ...event })
  }

  /** The silence is over: what was held back comes. */
  speakAgain(): void {
    this.isSilent = false
    for (const frame of this.#unsent) tell(this.#session?.socket, frame)
    this.#unsent = []
  }

  sendRaw(text: string): void {
    this.#session?.socket?.send(text)
  }

  closeWith(code: number, reason = ''): void {
    this.#session?.socket?.close(code, reason)
  }

  forget(): void {
    const socket = this.#session?.socket
    this.#session = undefined
    socket?.terminate()
  }

  close(): void {
    this.#sockets.close()
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://gateway')
    if (pathname.replace(/\/$/, '') !== '/gateway' || searchParams.get('v') !== '10') return void socket.destroy()
    this.#sockets.handleUpgrade(request, socket, head, (open) => {
      tell(open, { op: 10, d: { heartbeat_interval: HEARTBEAT_MS } })
      open.on('message', (text) => this.#heard(open, String(text)))
      open.on('close', (code) => this.#left(open, code))
    })
  }

  /** A clean close ends the session; a client that only lost its connection may resume ("Initiating a Disconnect"). */
  #left(socket: WebSocket, code: number): void {
    if (this.#session?.socket !== socket) return
    if (code === 1000 || code === 1001) this.#session = undefined
    else this.#session.socket = undefined
  }

  #heard(socket: WebSocket, text: string): void {
    const { op, d } = JSON.parse(text) as { op: number; d: unknown }
    if (this.isSilent) return
    if (op === 1) return void tell(socket, { op: 11 })
    const data = (d ?? {}) as { token?: string; intents?: number; session_id?: string; seq?: number }
    const isStranger = data.token !== this.#account.token || this.#account.isLoggedOut()
    if (isStranger) socket.close(4004, 'Authentication failed.')
    else if (op === 2) this.#identify(socket, data.intents ?? 0)
    else if (op === 6) this.#resume(socket, data.session_id ?? '', data.seq ?? 0)
    else socket.close(4001, 'Unknown opcode.')
  }

  #identify(socket: WebSocket, intents: number): void {
    this.handshakes.push('identify')
    if ((intents & INTENTS) !== INTENTS) return void socket.close(4014, 'Disallowed intent(s).')
    const { user, applicationId, newId, url } = this.#account
    const session = { id: newId(), socket, events: [] }
    this.#session = session
    this.#unsent = []
    const d = createReady(user, { session: session.id, url: url(), application: applicationId })
    tell(socket, { op: 0, t: 'READY', s: 1, d })
  }

  #resume(socket: WebSocket, id: string, seq: number): void {
    this.handshakes.push('resume')
    const session = this.#session
    if (session?.id !== id) return void tell(socket, { op: 9, d: false })
    const last = session.events.at(-1)?.s ?? 1
    if (seq > last) return void socket.close(4007, 'Invalid seq.')
    session.socket = socket
    this.#unsent = []
    for (const event of session.events.filter(({ s }) => s > seq)) tell(socket, { op: 0, ...event })
    tell(socket, { op: 0, t: 'RESUMED', s: last, d: {} })
  }
}

function tell(socket: WebSocket | undefined, frame: object): void {
  socket?.send(JSON.stringify(frame))
}
