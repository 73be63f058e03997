/** Connections of pages to /api/ws, which keep what they are told. */
import type WebSocket from 'ws'
import type { Desk } from './desk.ts'

export interface Event {
  readonly type: string
  readonly session_id: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** One connection of a page. */
export class Page {
  readonly events: Event[] = []
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (message: { result?: never; error?: never }) => void>()
  #next = 0

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => {
      const { id, params, ...rest } = JSON.parse(String(data))
      if (id === undefined) this.events.push(params)
      else this.#waiting.get(id)?.(rest)
    })
  }

  // biome-ignore lint/suspicious/noExplicitAny: results of many shapes
  async call(method: string, params: object = {}): Promise<any> {
    const id = ++this.#next
    const answered = new Promise<{ result?: unknown; error?: unknown }>((resolve) => this.#waiting.set(id, resolve))
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    const { result, error } = await answered
    if (error) throw Object.assign(new Error('refused'), { error })
    return result
  }

  /** Takes nothing more from the network until it is told to. */
  pause(): void {
    this.#socket.pause()
  }

  /** Reads to the end of the connection. Resolves with the close code of the server. */
  readToEnd(): Promise<number> {
    const closed = new Promise<number>((resolve) => this.#socket.once('close', resolve))
    this.#socket.resume()
    return closed
  }

  cut(): void {
    this.#socket.terminate()
  }

  /** Texts of deltas, joined. */
  get text(): string {
    return this.events.flatMap(({ type, payload }) => (type === 'message.delta' ? [payload['text']] : [])).join('')
  }

  /** The place of the last event in the journal. */
  get cursor(): number {
    return Math.max(0, ...this.events.map(({ payload }) => Number(payload['seq'] ?? 0)))
  }

  count(type: string): number {
    return this.events.filter((event) => event.type === type).length
  }
}

export async function connect(desk: Desk): Promise<Page> {
  const socket = desk.socket(`/api/ws?token=${desk.token}`)
  const page = new Page(socket)
  await new Promise((resolve) => socket.once('open', resolve))
  return page
}
