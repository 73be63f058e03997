/** JSON-RPC over the WebSocket of the server. It reconnects automatically; listeners of `onOpen` open again what they show. */
import { signal } from '@preact/signals'
import { loginExpired } from './api.ts'
import { LoginExpired, needsLogin, socketUrl } from './session.ts'

export interface RpcEvent {
  readonly type: string
  readonly session_id: string
  readonly payload: Readonly<Record<string, unknown>>
}

export class RpcFailure extends Error {
  readonly number: number
  readonly code: string

  constructor(number: number, message: string, code: string) {
    super(message)
    this.number = number
    this.code = code
  }
}

/** The connection broke before the answer came: whether the call was done is not known. */
export class Disconnected extends Error {
  constructor() {
    super('The connection to the server broke.')
  }
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 3000
const CONNECT_TIMEOUT_MS = 8000
/** Silence after which the server is asked whether it is there: while an answer is due, and otherwise. */
const DUE_SILENCE_MS = 2000
const MAX_SILENCE_MS = 10_000
/** A connection on which it does not answer within this time is dead, though nothing said so. */
const ANSWER_MS = 4000
const WATCH_MS = 1000
/** Another window may sign in. */
const LOGIN_WAIT_MS = 15_000

class RpcClient {
  readonly state = signal<'connecting' | 'open' | 'offline'>('connecting')
  readonly #waiting = new Map<number, Waiting>()
  readonly #listeners = new Set<(event: RpcEvent) => void>()
  readonly #openers = new Set<() => void>()
  #socket: WebSocket | undefined
  #next = 1
  #failures = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  /** When the last message came, and when the server was asked since. */
  #heard = 0
  #asked: number | undefined
  #isStarted = false

  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    for (const change of ['online', 'offline']) addEventListener(change, () => this.#check())
    document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && this.#check())
    setInterval(() => this.#watch(), WATCH_MS)
    void this.#connect()
  }

  /** Does not wait any longer to connect again. */
  retryNow(): void {
    if (this.#timer !== undefined) void this.#connect()
  }

  /** Rejects with `RpcFailure`, and with `Disconnected` when no answer came. */
  call<T>(method: string, params: object = {}): Promise<T> {
    const socket = this.#socket
    if (socket?.readyState !== WebSocket.OPEN) return Promise.reject(new Disconnected())
    const id = this.#next++
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    })
  }

  onEvent(listener: (event: RpcEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Called now if it is connected, and after each connect. */
  onOpen(listener: () => void): () => void {
    this.#openers.add(listener)
    if (this.state.value === 'open') listener()
    return () => void this.#openers.delete(listener)
  }

  /** Resolves when connected. */
  ready(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.onOpen(() => {
        queueMicrotask(() => stop())
        resolve()
      })
    })
  }

  async #connect(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.state.value === 'open') return
    try {
      const url = await socketUrl('/api/ws')
      loginExpired.value = false
      this.#listen(new WebSocket(url))
    } catch (error) {
      const isOver = error instanceof LoginExpired
      if (isOver) loginExpired.value = true
      this.#again(isOver && needsLogin ? LOGIN_WAIT_MS : undefined)
    }
  }

  #listen(socket: WebSocket): void {
    this.#socket = socket
    const slow = setTimeout(() => this.#drop(socket), CONNECT_TIMEOUT_MS)
    socket.onopen = () => {
      clearTimeout(slow)
      if (this.#socket !== socket) return
      this.#failures = 0
      this.#heard = Date.now()
      this.#asked = undefined
      this.state.value = 'open'
      for (const opener of [...this.#openers]) opener()
    }
    // What still arrives on a connection that was given up comes again on the next one.
    socket.onmessage = ({ data }) => {
      if (this.#socket !== socket) return
      this.#heard = Date.now()
      this.#asked = undefined
      this.#receive(String(data))
    }
    socket.onclose = () => {
      clearTimeout(slow)
      if (this.#socket === socket) this.#again()
    }
  }

  /** The network may take a connection away without a word. */
  #watch(): void {
    const socket = this.#socket
    if (this.state.value !== 'open' || !socket) return
    const now = Date.now()
    if (this.#asked !== undefined && now - this.#asked > ANSWER_MS) this.#drop(socket)
    else if (now - this.#heard > (this.#waiting.size > 0 ? DUE_SILENCE_MS : MAX_SILENCE_MS)) this.#ask(now)
  }

  #ask(now: number): void {
    if (this.#asked !== undefined) return
    this.#asked = now
    this.call('rpc.ping').catch(() => {})
  }

  #drop(socket: WebSocket): void {
    if (this.#socket !== socket) return
    this.#again()
    socket.close()
  }

  #receive(text: string): void {
    const message = JSON.parse(text) as {
      readonly id?: number
      readonly method?: string
      readonly params?: RpcEvent
      readonly result?: unknown
      readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly code?: string } }
    }
    if (message.method === 'event' && message.params) {
      for (const listener of [...this.#listeners]) listener(message.params)
      return
    }
    const waiting = message.id === undefined ? undefined : this.#waiting.get(message.id)
    if (!waiting || message.id === undefined) return
    this.#waiting.delete(message.id)
    const { error } = message
    if (error) waiting.reject(new RpcFailure(error.code, error.message, error.data?.code ?? ''))
    else waiting.resolve(message.result)
  }

  #again(waitMs?: number): void {
    this.#socket = undefined
    this.state.value = this.#failures > 0 ? 'offline' : 'connecting'
    for (const waiting of this.#waiting.values()) waiting.reject(new Disconnected())
    this.#waiting.clear()
    this.#failures++
    const wait = waitMs ?? Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (this.#failures - 1))
    this.#timer = setTimeout(() => void this.#connect(), wait)
  }

  /** Something has changed: connects now, or looks whether the connection is alive. */
  #check(): void {
    if (this.#timer !== undefined) void this.#connect()
    else if (this.state.value === 'open') this.#ask(Date.now())
  }
}

export const rpc = new RpcClient()
