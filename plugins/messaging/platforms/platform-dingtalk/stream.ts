/**
 * The stream that DingTalk pushes messages through
 * (https://open-dingtalk.github.io/developerpedia/docs/learn/stream/protocol): a WebSocket with frames of JSON.
 */
import { type Clock, type Logger, SvcError, tryParseJson } from 'svc/sdk'
import { retryUntilTaken } from 'svc/sdk/platform'
import type { WebSocket } from 'ws'
import { z } from 'zod'

export const MESSAGE_TOPIC = '/v1.0/im/bot/messages/get'
const OPEN_MS = 20_000
const PONG_MS = 5000
/** Messages that wait to be taken; more are not answered, and DingTalk pushes them again. */
const MAX_WAITING = 500
const MAX_FRAME = 4 * 2 ** 20

const frame = z.object({
  type: z.string(),
  headers: z.object({ topic: z.string().catch(''), messageId: z.string().catch('') }),
  data: z.string().catch(''),
})
type Frame = z.infer<typeof frame>

/** What was pushed, and on which topic. */
export interface Pushed {
  readonly topic: string
  /** Of the frame. */
  readonly id: string
  readonly data: unknown
}

/** What comes through the stream, and who hears of it. */
export interface StreamDeps {
  readonly clock: Clock
  readonly log: Logger
  alive(): void
  lost(reason: string): void
  /** Messages of an earlier stream that were not handled; returned once. */
  left(): readonly Pushed[]
  /** Topics that are taken. */
  readonly topics: readonly string[]
  /** Resolves once the message is safe. */
  take(pushed: Pushed): Promise<void>
}

export class Stream {
  readonly #socket: WebSocket
  readonly #deps: StreamDeps
  readonly #end = new AbortController()
  #isOpen = false
  #last: Promise<void> = Promise.resolve()
  readonly #waiting: Pushed[] = []

  private constructor(socket: WebSocket, deps: StreamDeps) {
    this.#socket = socket
    this.#deps = deps
    for (const event of ['ping', 'pong'] as const) socket.on(event, () => deps.alive())
    socket.on('message', (data) => this.#hear(String(data)))
    // The first messages come with the opening; what was left is older.
    socket.once('open', () => {
      this.#isOpen = true
      for (const pushed of deps.left()) this.#wait(pushed, () => undefined)
    })
    socket.on('close', (code) => this.#lose(`DingTalk closed the stream (${code}).`))
    socket.on('error', (error) => this.#lose(`The stream of DingTalk broke: ${error.message}`))
  }

  /** Resolves when messages flow. */
  static async open(url: string, deps: StreamDeps): Promise<Stream> {
    const { WebSocket } = await import('ws')
    const socket = new WebSocket(url, { handshakeTimeout: OPEN_MS, maxPayload: MAX_FRAME })
    const stream = new Stream(socket, deps)
    await new Promise<void>((opened, failed) => {
      socket.once('open', opened)
      socket.once('error', (cause) => {
        const message = `The stream of DingTalk cannot be opened: ${cause.message}`
        failed(new SvcError('DINGTALK_FAILED', message, { status: 502, cause }))
      })
    })
    return stream
  }

  /** Whether the other side answers. */
  async ping(): Promise<boolean> {
    const { clock } = this.#deps
    if (this.#end.signal.aborted || this.#socket.readyState !== this.#socket.OPEN) return false
    return new Promise((answer) => {
      const cancel = clock.after(PONG_MS, () => answer(false))
      const done = (isThere: boolean) => {
        cancel()
        answer(isThere)
      }
      this.#socket.once('pong', () => done(true)).once('close', () => done(false))
      this.#socket.ping()
    })
  }

  /** Ends it and gives what was not taken: DingTalk may push that again, but its documents do not promise it. */
  leave(): readonly Pushed[] {
    this.close()
    return this.#waiting.splice(0)
  }

  /** Ends it in silence. */
  close(): void {
    this.#end.abort()
    this.#socket.removeAllListeners('message')
    this.#socket.terminate()
  }

  #lose(reason: string): void {
    if (this.#end.signal.aborted || !this.#isOpen) return
    this.close()
    this.#deps.lost(reason)
  }

  #hear(text: string): void {
    this.#deps.alive()
    const read = frame.safeParse(tryParseJson(text)?.value)
    if (!read.success) {
      this.#deps.log.warn('a frame of DingTalk cannot be read')
      return
    }
    const { type, headers, data } = read.data
    if (type === 'SYSTEM') this.#obey(read.data)
    else if (type !== 'CALLBACK' || !this.#deps.topics.includes(headers.topic))
      this.#reply(read.data, 404, 'topic not found')
    else this.#queue(read.data, { topic: headers.topic, id: headers.messageId, data: tryParseJson(data)?.value })
  }

  #obey(said: Frame): void {
    if (said.headers.topic === 'ping') this.#reply(said, 200, 'OK', said.data)
    // The other side disconnects ten seconds later; a new stream is open by then.
    if (said.headers.topic === 'disconnect') this.#lose('DingTalk asked for a new stream.')
  }

  #queue(said: Frame, pushed: Pushed): void {
    if (this.#waiting.length < MAX_WAITING) this.#wait(pushed, () => this.#reply(said, 200, 'OK', '{"response":null}'))
    else this.#deps.log.error('too many messages of DingTalk wait', { message: said.headers.messageId })
  }

  /** One after the other, so that they keep their order; what waits when the stream ends is handed over by the next one. */
  #wait(pushed: Pushed, done: () => void): void {
    const { clock, log, take } = this.#deps
    const { signal } = this.#end
    this.#waiting.push(pushed)
    this.#last = this.#last
      .then(() => retryUntilTaken(() => take(pushed), { clock, log, signal }))
      .then(() => {
        if (signal.aborted) return
        this.#waiting.shift()
        done()
      })
      .catch((error: unknown) => {
        if (!signal.aborted) log.error('a message of DingTalk was not taken', { error })
      })
  }

  #reply({ headers: { messageId } }: Frame, code: number, message: string, data = '{}'): void {
    if (this.#end.signal.aborted) return
    const headers = { contentType: 'application/json', messageId }
    this.#socket.send(JSON.stringify({ code, headers, message, data }), () => undefined)
  }
}
