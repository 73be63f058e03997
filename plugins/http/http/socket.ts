/** One WebSocket at work: messages are buffered until they are read, and a dead connection is distinguished from silence. */
import type { Clock } from 'svc/sdk'
import type { HttpRequest, HttpSocket } from 'svc/sdk/web'
import type { WebSocket } from 'ws'

/** Messages that wait to be read. */
const MAX_WAITING = 64
/** Proxies close what is silent for a minute. */
const PING_MS = 30_000
/** Codes of RFC 6455, 7.4.1. */
const CLOSED = { done: 1000, away: 1001, binary: 1003, refused: 1008, failed: 1011 } as const

export interface OpenSocketLimits {
  readonly clock: Clock
  /** Bytes of one message, and of those that wait. */
  readonly maxBytes: number
  /** Binary messages are taken. */
  readonly isBinary: boolean
}

export class OpenSocket implements HttpSocket {
  readonly request: HttpRequest
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>
  readonly #socket: WebSocket
  readonly #clock: Clock
  readonly #waiting: (string | Uint8Array)[] = []
  #waitingBytes = 0
  #isOver = false
  #isAlive = true
  #wake = () => {}
  #cancelPing = () => {}

  constructor(socket: WebSocket, request: HttpRequest, limits: OpenSocketLimits) {
    this.request = request
    this.#socket = socket
    this.#clock = limits.clock
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary && !limits.isBinary) socket.close(CLOSED.binary, 'only text messages are taken')
      else this.#keep(isBinary ? new Uint8Array(data) : data.toString(), data.byteLength, limits.maxBytes)
    })
    socket.on('pong', () => {
      this.#isAlive = true
    })
    // Every error is followed by `close`.
    socket.on('error', () => {})
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#isOver = true
        this.#cancelPing()
        this.#wake()
        resolve()
      })
    })
    request.signal.addEventListener('abort', () => this.#wake(), { once: true })
    this.#pingLater()
  }

  get messages(): AsyncIterable<string> {
    return this.#readTexts()
  }

  get frames(): AsyncIterable<string | Uint8Array> {
    return this.#read()
  }

  get waitingBytes(): number {
    return this.#socket.bufferedAmount
  }

  /** A property: handlers take it out of the object. */
  readonly send = (data: string | Uint8Array): Promise<void> => {
    if (this.#isOver) return Promise.resolve()
    return new Promise((resolve) => this.#socket.send(data, () => resolve()))
  }

  readonly close = (code: number = CLOSED.done, reason = ''): void => this.#socket.close(code, reason)
  readonly [Symbol.dispose] = (): void => this.close()

  /** Says goodbye. The client has the time of a ping to answer. */
  end(why: keyof typeof CLOSED): void {
    this.#socket.close(CLOSED[why])
  }

  cut(): void {
    this.#socket.terminate()
  }

  #keep(data: string | Uint8Array, bytes: number, maxBytes: number): void {
    this.#waitingBytes += bytes
    if (this.#waiting.length >= MAX_WAITING || (this.#waiting.length > 0 && this.#waitingBytes > maxBytes))
      return void this.#socket.close(CLOSED.refused, 'too many messages wait')
    this.#waiting.push(data)
    this.#wake()
  }

  /** Without `isBinary` nothing else arrives. */
  async *#readTexts(): AsyncGenerator<string> {
    for await (const data of this.#read()) if (typeof data === 'string') yield data
  }

  async *#read(): AsyncGenerator<string | Uint8Array> {
    for (;;) {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        this.#waitingBytes -= typeof next === 'string' ? Buffer.byteLength(next) : next.byteLength
        yield next
      }
      if (this.#isOver || this.request.signal.aborted) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #pingLater(): void {
    const ping = () => {
      if (!this.#isAlive) return this.cut()
      this.#isAlive = false
      this.#socket.ping()
      this.#pingLater()
    }
    this.#cancelPing = this.#clock.after(PING_MS, ping, { background: true })
  }
}
