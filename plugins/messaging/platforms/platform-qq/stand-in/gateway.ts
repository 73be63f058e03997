/**
 * The gateway of the stand-in (bot.q.qq.com/wiki/develop/api-v2/dev-prepare/interface-framework/event-emit.html): sessions that can be
 * taken up again, heartbeats, and its codes of refusal.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { LineFault } from 'svc/sdk/platform'
import { type WebSocket, WebSocketServer } from 'ws'

const BEAT_MS = 41_250
const INTENTS = 1 << 25

interface Session {
  readonly id: string
  /** What was sent on it; the number of an event is its place, from 2 on. */
  readonly events: object[]
  socket?: WebSocket
}

interface Payload {
  readonly op?: number
  readonly d?:
    | {
        readonly token?: string
        readonly intents?: number
        readonly shard?: unknown
        readonly session_id?: string
        readonly seq?: number
      }
    | number
    | null
}

export class StandInGateway {
  readonly #server: WebSocketServer
  readonly #isToken: (token: string) => boolean
  #session: Session | undefined
  #fault: LineFault | undefined
  #late: object | undefined
  /** Operations that were received, oldest first. */
  readonly heard: { readonly op: number; readonly d: unknown }[] = []

  private constructor(server: WebSocketServer, isToken: (token: string) => boolean) {
    this.#server = server
    this.#isToken = isToken
    server.on('connection', (socket) => this.#welcome(socket))
  }

  static async open(isToken: (token: string) => boolean): Promise<StandInGateway> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false, autoPong: false })
    await once(server, 'listening')
    return new StandInGateway(server, isToken)
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/websocket`
  }

  get isOpen(): boolean {
    return this.#session?.socket !== undefined
  }

  deliver(event: object): void {
    const fault = this.#fault
    if (fault === 'twice' || fault === 'late') this.#fault = undefined
    if (fault === 'late') {
      this.#late = event
      return
    }
    this.#dispatch(event)
    if (fault === 'twice') this.#dispatch(event)
    this.#release()
  }

  /** Sends an operation to all connections. */
  tell(message: object): void {
    for (const socket of this.#server.clients) socket.send(JSON.stringify(message))
  }

  /** Closes all connections with this code. */
  end(code: number): void {
    for (const socket of this.#server.clients) socket.close(code)
  }

  /** Sessions of before cannot be taken up any more. */
  forget(): void {
    this.#session = undefined
  }

  disturb(fault: LineFault): void {
    this.#fault = fault
  }

  calm(): void {
    this.#fault = undefined
    this.#release()
  }

  cut(): void {
    for (const socket of this.#server.clients) socket.terminate()
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise<void>((done) => this.#server.close(() => done()))
  }

  #welcome(socket: WebSocket): void {
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      if (this.#session?.socket === socket) delete this.#session.socket
    })
    socket.on('message', (data) => {
      if (this.#fault !== 'silence') this.#hear(JSON.parse(String(data)) as Payload, socket)
    })
    send(socket, { op: 10, d: { heartbeat_interval: BEAT_MS } })
  }

  #hear({ op = -1, d }: Payload, socket: WebSocket): void {
    this.heard.push({ op, d })
    if (op === 1) return void send(socket, { op: 11 })
    if (![2, 6].includes(op)) return void socket.close(4001)
    if (typeof d !== 'object' || d === null) return void socket.close(4002)
    if (!this.#isToken(d.token ?? '')) return void send(socket, { op: 9, d: false })
    if (op === 6) return void this.#resume(d.session_id ?? '', d.seq ?? -1, socket)
    if (d.intents !== INTENTS) return void socket.close(4014)
    if (JSON.stringify(d.shard) !== '[0,1]') return void socket.close(4010)
    this.#session = { id: randomUUID(), events: [], socket }
    const user = { id: '1234567890', username: 'svc', bot: true }
    send(socket, { op: 0, s: 1, t: 'READY', d: { version: 1, session_id: this.#session.id, user, shard: [0, 1] } })
  }

  #resume(id: string, seq: number, socket: WebSocket): void {
    const session = this.#session
    if (session?.id !== id) return void send(socket, { op: 9, d: false })
    if (seq < 1 || seq > session.events.length + 1) return void socket.close(4007)
    session.socket = socket
    for (const event of session.events.slice(seq - 1)) send(socket, event)
    send(socket, { op: 0, s: session.events.length + 1, t: 'RESUMED', d: '' })
  }

  /** Without a session it is lost. */
  #dispatch(event: object): void {
    const session = this.#session
    if (!session) return
    const numbered = { ...event, s: session.events.length + 2 }
    session.events.push(numbered)
    if (session.socket && this.#fault !== 'silence') send(session.socket, numbered)
  }

  #release(): void {
    const late = this.#late
    this.#late = undefined
    if (late) this.#dispatch(late)
  }
}

function send(socket: WebSocket, message: object): void {
  socket.send(JSON.stringify(message))
}
