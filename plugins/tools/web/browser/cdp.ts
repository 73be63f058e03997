/** A connection to a browser by the Chrome DevTools Protocol: https://chromedevtools.github.io/devtools-protocol/ */
import { type Clock, type Dispose, SvcError } from 'svc/sdk'
import type { CdpTarget } from 'svc/sdk/web'

/** What carries messages, each one JSON text. */
export interface Wire {
  send(message: string): void
  close(): void
}

/** Where a wire delivers. `closed` comes once, with the reason for people. */
export interface WireEnds {
  message(text: string): void
  closed(reason: string): void
}

export type OpenWire = (ends: WireEnds) => Wire

/** A message longer than this is not read: a page can make a browser send any amount. */
export const LONGEST_MESSAGE = 64 * 1024 * 1024

export type Params = Readonly<Record<string, unknown>>

interface Answer {
  readonly id?: number
  readonly method?: string
  readonly params?: Params
  readonly result?: unknown
  readonly error?: { readonly message: string }
  readonly sessionId?: string
}

interface Waiting {
  readonly method: string
  readonly sessionId: string | undefined
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
  readonly forget: () => void
}

type Listener = (method: string, params: Params) => void

/** One target of the browser, or the browser itself. */
export interface CdpSession extends CdpTarget {
  /** Undefined for the browser itself. */
  readonly id: string | undefined
  /** Events of this session. */
  listen(listener: Listener): Dispose
}

/** Commands and events of all sessions over one wire. */
export class CdpConnection {
  readonly browser: CdpSession
  /** Resolves with the reason when the wire is closed. */
  readonly closed: Promise<string>
  readonly #wire: Wire
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #waiting = new Map<number, Waiting>()
  readonly #listeners = new Map<string | undefined, Set<Listener>>()
  readonly #gone = new Set<string>()
  #last = 0
  #over: string | undefined

  constructor(open: OpenWire, clock: Clock, timeoutMs: number) {
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    this.browser = this.session(undefined)
    let ended: (reason: string) => void = () => undefined
    this.closed = new Promise((resolve) => {
      ended = resolve
    })
    this.#wire = open({
      message: (text) => this.#receive(text),
      closed: (reason) => {
        this.#end(reason)
        ended(reason)
      },
    })
  }

  session(id: string | undefined): CdpSession {
    return {
      id,
      send: <Result>(method: string, params: Params = {}) => this.#send(id, method, params) as Promise<Result>,
      listen: (listener) => {
        const listeners = this.#listeners.get(id) ?? new Set()
        this.#listeners.set(id, listeners.add(listener))
        return () => void listeners.delete(listener)
      },
    }
  }

  /** The target is gone: what is asked of it fails from now on. */
  endSession(id: string): void {
    this.#gone.add(id)
    this.#listeners.delete(id)
    this.#fail(gone(), (waiting) => waiting.sessionId === id)
  }

  close(): void {
    this.#wire.close()
  }

  #send(sessionId: string | undefined, method: string, params: Params): Promise<unknown> {
    if (this.#over !== undefined) return Promise.reject(createGoneError(this.#over))
    if (sessionId !== undefined && this.#gone.has(sessionId)) return Promise.reject(gone())
    this.#last += 1
    const id = this.#last
    return new Promise((resolve, reject) => {
      const forget = this.#clock.after(this.#timeoutMs, () => {
        this.#waiting.delete(id)
        const seconds = Math.round(this.#timeoutMs / 1000)
        reject(new SvcError('BROWSER_TIMEOUT', `The browser did not answer ${method} within ${seconds} seconds.`))
      })
      this.#waiting.set(id, { method, sessionId, resolve, reject, forget })
      this.#wire.send(JSON.stringify({ id, method, params, sessionId }))
    })
  }

  #receive(text: string): void {
    const { id, method, params = {}, result, error, sessionId } = JSON.parse(text) as Answer
    if (id === undefined) {
      if (method === undefined) return
      for (const listener of [...(this.#listeners.get(sessionId) ?? [])]) listener(method, params)
      return
    }
    const waiting = this.#waiting.get(id)
    if (!waiting) return
    this.#waiting.delete(id)
    waiting.forget()
    if (error)
      waiting.reject(new SvcError('BROWSER_PROTOCOL', `The browser refused ${waiting.method}: ${error.message}`))
    else waiting.resolve(result)
  }

  #end(reason: string): void {
    this.#over ??= reason
    this.#listeners.clear()
    this.#fail(createGoneError(reason), () => true)
  }

  #fail(error: SvcError, which: (waiting: Waiting) => boolean): void {
    for (const [id, waiting] of [...this.#waiting]) {
      if (!which(waiting)) continue
      this.#waiting.delete(id)
      waiting.forget()
      waiting.reject(error)
    }
  }
}

function gone(): SvcError {
  return new SvcError('BROWSER_TAB_GONE', 'The tab was closed. Navigate to a page to continue.')
}

function createGoneError(reason: string): SvcError {
  return new SvcError('BROWSER_GONE', `${reason} Navigate to a page to start again.`)
}
