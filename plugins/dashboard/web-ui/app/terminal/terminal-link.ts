/** The connection to a terminal of the server: what it writes, what is typed, its size. It reconnects until the server says why not. */
import { type ReadonlySignal, signal } from '@preact/signals'
import { loginExpired } from '../client/api.ts'
import { rpc } from '../client/rpc.ts'
import { LoginExpired, socketUrl } from '../client/session.ts'

/** `ended`: the server has closed it with this code, and the words of the reason. */
export type LinkState =
  | { readonly at: 'connecting' | 'open' | 'offline' }
  | { readonly at: 'ended'; readonly code: number; readonly reason: string }

export interface LinkDeps {
  readonly kind: 'chat' | 'shell'
  write(bytes: Uint8Array): void
  size(): { readonly cols: number; readonly rows: number }
}

/** Of the plugin `web-terminal`. */
export const CLOSED = { malformed: 4400, off: 4404, superseded: 4409, ended: 4410, failed: 1011 } as const
const finalCodes: ReadonlySet<number> = new Set(Object.values(CLOSED))
const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 3000
/** A message may have 1 MiB; a character has at most four bytes. */
const MAX_TYPED = 200_000

export class TerminalLink {
  readonly #deps: LinkDeps
  readonly #state = signal<LinkState>({ at: 'connecting' })
  readonly #stop: () => void
  #socket: WebSocket | undefined
  #failures = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #isClosed = false

  constructor(deps: LinkDeps) {
    this.#deps = deps
    let isFirst = rpc.state.value === 'open'
    // The network was away: a terminal whose connection broke without a word is found again, too.
    this.#stop = rpc.onOpen(() => {
      if (!isFirst && this.#state.value.at !== 'ended') void this.connect()
      isFirst = false
    })
    void this.connect()
  }

  get state(): ReadonlySignal<LinkState> {
    return this.#state
  }

  /** Connects to the terminal of this window, or with `fresh` to another one in its place. */
  async connect(fresh?: 'fresh'): Promise<void> {
    clearTimeout(this.#timer)
    this.#leave()
    this.#state.value = { at: this.#failures > 0 ? 'offline' : 'connecting' }
    const query = new URLSearchParams({ attach: windowKey() })
    if (this.#deps.kind === 'shell') query.set('shell', '1')
    if (fresh) query.set('fresh', '1')
    const wanted = new URL(`/api/pty?${query}`, location.href)
    try {
      const url = await socketUrl(`${wanted.pathname}${wanted.search}`)
      if (!this.#isClosed) this.#listen(new WebSocket(url))
    } catch (error) {
      if (error instanceof LoginExpired) loginExpired.value = true
      this.#again()
    }
  }

  type(text: string): void {
    for (let at = 0; at < text.length; at += MAX_TYPED) this.#send(text.slice(at, at + MAX_TYPED))
  }

  resize(): void {
    const { cols, rows } = this.#deps.size()
    this.#send(`\x1b[RESIZE:${cols};${rows}]`)
  }

  /** Leaves it; the server keeps it for half an hour. */
  close(): void {
    this.#isClosed = true
    this.#stop()
    clearTimeout(this.#timer)
    this.#leave()
  }

  #leave(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
  }

  #send(text: string): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text)
  }

  #listen(socket: WebSocket): void {
    this.#leave()
    this.#socket = socket
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => {
      if (this.#socket !== socket) return
      this.#failures = 0
      this.#state.value = { at: 'open' }
      this.resize()
    }
    socket.onmessage = ({ data }) => {
      if (this.#socket === socket) this.#deps.write(new Uint8Array(data as ArrayBuffer))
    }
    socket.onclose = ({ code, reason }) => {
      if (this.#socket !== socket) return
      this.#socket = undefined
      if (finalCodes.has(code)) this.#state.value = { at: 'ended', code, reason }
      else this.#again()
    }
  }

  #again(): void {
    if (this.#isClosed) return
    this.#failures++
    this.#state.value = { at: 'offline' }
    const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (this.#failures - 1))
    this.#timer = setTimeout(() => void this.connect(), wait)
  }
}

/** The same over a reload of this window, another one in each other window. */
function windowKey(): string {
  const known = sessionStorage.getItem('svc.terminal')
  if (known !== null) return known
  const made = `web-${[...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
  sessionStorage.setItem('svc.terminal', made)
  return made
}
