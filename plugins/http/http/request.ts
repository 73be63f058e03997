/** A request as its handler sees it. What few handlers look at is made when they do. */
import type { IncomingMessage } from 'node:http'
import type { Writable } from 'node:stream'
import type { HttpRequest } from 'svc/sdk/web'

/** What it is answered through: a response, or the connection itself once it was upgraded. */
export type Outlet = Pick<Writable, 'closed' | 'writableFinished' | 'once' | 'destroy'>

const empty = new Uint8Array()

export class SeenRequest implements HttpRequest {
  readonly method: string
  readonly url: string
  readonly params: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly #request: IncomingMessage
  readonly #response: Outlet
  #query: URLSearchParams | undefined
  #headers: Record<string, string> | undefined
  #gone: AbortController | undefined
  #isLeft = false

  constructor(
    request: IncomingMessage,
    response: Outlet,
    parsed: { readonly params: unknown; readonly body: unknown },
  ) {
    this.method = request.method ?? 'GET'
    this.url = request.url ?? '/'
    this.params = parsed.params as Record<string, string>
    this.body = parsed.body instanceof Uint8Array ? parsed.body : empty
    this.#request = request
    this.#response = response
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.url.split('?').slice(1).join('?'))
    return this.#query
  }

  get headers(): Readonly<Record<string, string>> {
    this.#headers ??= lastOfEach(this.#request.rawHeaders)
    return this.#headers
  }

  get address(): string {
    return this.#request.socket.remoteAddress ?? ''
  }

  get remotePort(): number | undefined {
    return this.#request.socket.remotePort
  }

  get signal(): AbortSignal {
    if (this.#gone) return this.#gone.signal
    this.#gone = new AbortController()
    const note = () => {
      if (!this.#response.writableFinished) this.leave()
    }
    if (this.#isLeft) this.#gone.abort()
    else if (this.#response.closed) note()
    else this.#response.once('close', note)
    return this.#gone.signal
  }

  /** Tells the handler that no client waits any more. */
  leave(): void {
    this.#isLeft = true
    this.#gone?.abort()
  }

  /** Ends the reply where it is. */
  cut(): void {
    this.#response.destroy()
  }
}

/** Names in lower case; no header can take the place of what every object has. */
function lastOfEach(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null)
  for (let at = 0; at + 1 < raw.length; at += 2) headers[raw[at]?.toLowerCase() ?? ''] = raw[at + 1] ?? ''
  return headers
}
