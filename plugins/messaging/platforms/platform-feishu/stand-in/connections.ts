/**
 * Long connections of the stand-in, as the SDKs of Feishu (github.com/larksuite/node-sdk) use them: an address with a ticket, frames of
 * Protocol Buffers, pings with answers, events in parts, and events again that were not acknowledged.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { LineFault } from 'svc/sdk/platform'
import { type WebSocket, WebSocketServer } from 'ws'
import { CONTROL, DATA, decodeFrame, encodeFrame, type Frame, findHeader } from '../frame.ts'

const SERVICE = 33_554_678
const PING_S = 90
const PART_BYTES = 300
const RETRY_MS = 100

interface Waiting {
  readonly id: string
  readonly bytes: Buffer
  /** The connection that has it. */
  socket?: WebSocket
}

export class LongConnections {
  readonly #server: WebSocketServer
  readonly #sockets: Set<WebSocket> = new Set()
  readonly #tickets: Set<string> = new Set()
  /** Events that were not acknowledged, oldest first. */
  readonly #waiting: Waiting[] = []
  readonly #timers: Set<NodeJS.Timeout> = new Set()
  #fault: LineFault | undefined
  #late: object | undefined
  /** Ids of events that were acknowledged. */
  readonly acknowledged: string[] = []
  pings = 0

  private constructor(server: WebSocketServer) {
    this.#server = server
    server.on('connection', (socket, { url = '' }) => this.#welcome(socket, new URL(url, 'ws://service').searchParams))
  }

  static async open(): Promise<LongConnections> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false, autoPong: false })
    await once(server, 'listening')
    return new LongConnections(server)
  }

  get isOpen(): boolean {
    return this.#sockets.size > 0
  }

  /** The answer to the question where to connect. A ticket is good for one connection. */
  endpoint(): object {
    const ticket = randomBytes(12).toString('hex')
    this.#tickets.add(ticket)
    const { port } = this.#server.address() as AddressInfo
    return {
      URL: `ws://127.0.0.1:${port}/ws/v2?device_id=1&access_key=k&service_id=${SERVICE}&ticket=${ticket}`,
      ClientConfig: { ReconnectCount: -1, ReconnectInterval: 120, ReconnectNonce: 30, PingInterval: PING_S },
    }
  }

  deliver(event: object): void {
    const fault = this.#fault
    if (fault === 'late') {
      this.#fault = undefined
      this.#late = event
      return
    }
    this.#enqueue(event)
    if (fault === 'twice') {
      this.#fault = undefined
      this.#enqueue(event)
    }
    this.#release()
  }

  /** Sends these bytes as a frame, whatever they are. */
  send(bytes: Uint8Array): void {
    for (const socket of this.#sockets) socket.send(bytes)
  }

  disturb(fault: LineFault): void {
    this.#fault = fault
  }

  calm(): void {
    this.#fault = undefined
    this.#release()
    this.#flush()
  }

  cut(): void {
    for (const socket of this.#sockets) socket.terminate()
    this.#sockets.clear()
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    this.cut()
    await new Promise<void>((done) => this.#server.close(() => done()))
  }

  #welcome(socket: WebSocket, query: URLSearchParams): void {
    if (!this.#tickets.delete(query.get('ticket') ?? '') || query.get('service_id') !== String(SERVICE))
      return void socket.terminate()
    this.#sockets.add(socket)
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      this.#sockets.delete(socket)
      for (const each of this.#waiting) if (each.socket === socket) delete each.socket
    })
    socket.on('message', (data, isBinary) => {
      const frame = isBinary ? decodeFrame(data as Buffer) : undefined
      if (!frame || frame.service !== SERVICE) return socket.terminate()
      if (this.#fault !== 'silence') this.#hear(frame, socket)
    })
    this.#flush()
  }

  #hear(frame: Frame, socket: WebSocket): void {
    if (frame.method === CONTROL && findHeader(frame, 'type') === 'ping') {
      this.pings++
      const payload = Buffer.from(JSON.stringify({ PingInterval: PING_S, ReconnectCount: -1 }))
      return void socket.send(encodeFrame({ ...frame, headers: [['type', 'pong']], payload }))
    }
    const at = this.#waiting.findIndex(
      ({ id, socket: owner }) => id === findHeader(frame, 'message_id') && owner === socket,
    )
    const waiting = this.#waiting[at]
    if (frame.method !== DATA || !waiting) return
    const { code } = JSON.parse(Buffer.from(frame.payload).toString()) as { readonly code: number }
    if (code === 200) {
      this.#waiting.splice(at, 1)
      this.acknowledged.push(waiting.id)
      return
    }
    delete waiting.socket
    const timer = setTimeout(() => this.#flush(), RETRY_MS)
    this.#timers.add(timer)
  }

  #enqueue(event: object): void {
    this.#waiting.push({ id: randomUUID(), bytes: Buffer.from(JSON.stringify(event)) })
    this.#flush()
  }

  #release(): void {
    const late = this.#late
    this.#late = undefined
    if (late) this.#enqueue(late)
  }

  /** One connection gets an event, not all of them. */
  #flush(): void {
    const [socket] = this.#sockets
    if (!socket || this.#fault === 'silence') return
    for (const waiting of this.#waiting) {
      if (waiting.socket) continue
      waiting.socket = socket
      const sum = Math.ceil(waiting.bytes.length / PART_BYTES)
      for (let at = 0; at < sum; at++) {
        const payload = waiting.bytes.subarray(at * PART_BYTES, (at + 1) * PART_BYTES)
        const names = { type: 'event', message_id: waiting.id, sum, seq: at, trace_id: waiting.id }
        const headers = Object.entries(names).map(([name, value]) => [name, String(value)] as const)
        const frame = { sequence: 2n ** 63n, logId: 7n, service: SERVICE, method: DATA, headers, payload }
        socket.send(encodeFrame(frame))
      }
    }
  }
}
