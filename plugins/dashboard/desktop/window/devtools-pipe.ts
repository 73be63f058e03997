/**
 * The DevTools protocol over two pipes: JSON messages that end with a zero byte. No port is open that other programs could
 * use, and the browser ends with its launcher.
 */
import type { Readable, Writable } from 'node:stream'
import { SvcError, tryParseJson } from 'svc/sdk'

type Params = Readonly<Record<string, unknown>>

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Params
  readonly sessionId?: string
  readonly result?: Params
  readonly error?: { readonly message?: string }
}

export class DevtoolsPipe {
  readonly #input: Writable
  readonly #open: Map<number, { resolve(result: Params): void; reject(error: Error): void }> = new Map()
  readonly #onEvent: (method: string, params: Params, sessionId: string | undefined) => void
  #text = ''
  #count = 0
  #isOver = false

  constructor(
    input: Writable,
    output: Readable,
    onEvent: (method: string, params: Params, sessionId: string | undefined) => void,
  ) {
    this.#input = input
    this.#onEvent = onEvent
    output.setEncoding('utf8')
    output.on('data', (text: string) => this.#take(text))
    for (const stream of [input, output]) {
      // Each error is followed by `close`.
      stream.on('error', () => undefined)
      stream.on('close', () => this.#end())
    }
  }

  /** Throws `DESKTOP_WINDOW` when the browser refuses or has ended. */
  send(method: string, params: Params = {}, sessionId?: string): Promise<Params> {
    if (this.#isOver) return Promise.reject(ended())
    const id = ++this.#count
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject })
      this.#input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    })
  }

  #take(text: string): void {
    this.#text += text
    for (let at = this.#text.indexOf('\0'); at >= 0; at = this.#text.indexOf('\0')) {
      const message = tryParseJson(this.#text.slice(0, at))?.value as Message | undefined
      this.#text = this.#text.slice(at + 1)
      if (message) this.#handle(message)
    }
  }

  #handle({ id, method, params = {}, sessionId, result, error }: Message): void {
    if (id === undefined) {
      if (method !== undefined) this.#onEvent(method, params, sessionId)
      return
    }
    const waiting = this.#open.get(id)
    this.#open.delete(id)
    if (error) waiting?.reject(new SvcError('DESKTOP_WINDOW', `The browser refused: ${error.message ?? 'no reason'}.`))
    else waiting?.resolve(result ?? {})
  }

  #end(): void {
    this.#isOver = true
    for (const { reject } of this.#open.values()) reject(ended())
    this.#open.clear()
  }
}

function ended(): SvcError {
  return new SvcError('DESKTOP_WINDOW', 'The browser of the window has ended. Start svc desktop again.')
}
