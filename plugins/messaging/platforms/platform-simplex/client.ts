/**
 * The WebSocket of the program `simplex-chat -p PORT` (github.com/simplex-chat/simplex-chat/blob/stable/bots/README.md): commands with
 * correlation ids, their responses, and events.
 */
import { type Clock, tryParseJson } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import { openTextSocket, type TextSocket } from 'svc/sdk/kit/net'
import { deliveryBusy, deliveryRefused, deliveryUncertain } from 'svc/sdk/platform'
import { z } from 'zod'

const message = z.object({ corrId: z.string().nullish(), resp: z.looseObject({ type: z.string() }) })
/** A response or an event; its type says what else it has. */
export type Record = z.infer<typeof message>['resp']

export interface ClientOptions {
  readonly url: string
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly event: (event: Record) => void
  /** The program was heard of. */
  readonly heard: () => void
  /** Once, after it was open and not closed. */
  readonly lost: (reason: string) => void
}

const ANSWER_MS = 30_000
const PING_MS = 30_000
const SILENCE_MS = 75_000
const failure = z.object({
  chatError: z.object({
    type: z.string(),
    errorType: z.looseObject({ type: z.string() }).optional(),
    storeError: z.looseObject({ type: z.string() }).optional(),
    agentError: z.looseObject({ type: z.string() }).optional(),
  }),
})
/** What passes: the program starts, its database is in use, a contact is not connected yet, a server cannot be reached. */
const BUSY = ['chatNotStarted', 'contactNotReady', 'dBBusyError', 'dbBusyError', 'BROKER', 'INACTIVE']
/** What may have happened after the message was stored. */
const UNSURE = ['exception', 'internalError', 'dBException', 'INTERNAL', 'CRITICAL']

export class SimplexClient {
  readonly #options: ClientOptions
  readonly #abort = new AbortController()
  readonly #waiting: Map<string, (answer: Record) => void> = new Map()
  #socket: TextSocket | undefined
  #isOpen = false
  #count = 0

  private constructor(options: ClientOptions) {
    this.#options = options
  }

  static async open(options: ClientOptions): Promise<SimplexClient> {
    const client = new SimplexClient(options)
    await client.#open()
    return client
  }

  /** Aborted when it is over. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /**
   * The response to a command. `commit` is called before it leaves. Throws `deliveryRefused`, `deliveryBusy` or `deliveryUncertain` by
   * what is certain of the command.
   */
  async ask(cmd: string, commit?: () => void): Promise<Record> {
    const corrId = `svc-${++this.#count}`
    if (!this.#isOpen) throw deliveryBusy('PLATFORM_NOT_CONNECTED', 'SimpleX is not connected.')
    const came = new Promise<Record>((resolve) => this.#waiting.set(corrId, resolve))
    try {
      commit?.()
      this.#socket?.send(JSON.stringify({ corrId, cmd }))
      const answer = await waitAtMost(this.#options.clock, ANSWER_MS, came, { signal: this.signal })
      if (!answer) throw deliveryUncertain('PLATFORM_UNREACHABLE', 'simplex-chat did not answer.')
      if (answer.type === 'chatCmdError') throw toFailure(answer)
      return answer
    } finally {
      this.#waiting.delete(corrId)
    }
  }

  close(): void {
    this.#isOpen = false
    this.#end('it was closed')
  }

  async #open(): Promise<void> {
    const { url, signal, clock, heard } = this.#options
    const ended = AbortSignal.any([signal, this.signal])
    const watch = { clock, silenceMs: SILENCE_MS, pingMs: PING_MS }
    await new Promise<void>((resolve, reject) => {
      this.signal.addEventListener('abort', () => reject(this.signal.reason), { once: true })
      const events = {
        opened: resolve,
        heard,
        message: (text: string) => this.#take(text),
        closed: (reason: string) => this.#end(reason),
      }
      openTextSocket({ url, signal: ended, watch }, events).then((socket) => {
        this.#socket = socket
        if (this.signal.aborted) socket.cut()
      }, reject)
    }).catch((error: unknown) => {
      signal.throwIfAborted()
      throw deliveryBusy('PLATFORM_UNREACHABLE', `simplex-chat is not reached at ${url}. Start it with -p.`, {
        cause: error,
      })
    })
    this.#isOpen = true
  }

  #end(reason: string): void {
    if (this.signal.aborted) return
    this.#abort.abort(new Error(reason))
    this.#socket?.cut()
    if (this.#isOpen) this.#options.lost(`simplex-chat ended the connection: ${reason}.`)
    this.#isOpen = false
  }

  #take(text: string): void {
    const read = message.safeParse(tryParseJson(text)?.value).data
    if (!read) return
    const waiting = read.corrId ? this.#waiting.get(read.corrId) : undefined
    if (waiting) waiting(read.resp)
    // A response that comes too late is no event.
    else if (!read.corrId) this.#options.event(read.resp)
  }
}

function toFailure(answer: Record): Error {
  const { errorType, storeError, agentError, type } = failure.safeParse(answer).data?.chatError ?? { type: 'unknown' }
  const name = errorType?.type ?? storeError?.type ?? agentError?.type ?? type
  if (BUSY.includes(name)) return deliveryBusy('PLATFORM_UNREACHABLE', `simplex-chat cannot do that now: ${name}.`)
  if (UNSURE.includes(name)) return deliveryUncertain('PLATFORM_UNREACHABLE', `simplex-chat failed: ${name}.`)
  return deliveryRefused('PLATFORM_REFUSED', `simplex-chat refused: ${name}.`)
}
