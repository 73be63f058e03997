/** The terminals that run: by the key that their client chose, for half an hour after it has left, and at most sixteen. */
import { type Clock, type Logger, logFault, SvcError } from 'svc/sdk'
import type { ProgramLaunch } from './program.ts'
import { type Seat, Terminal, type TerminalClient } from './terminal.ts'

/** What a client asks for. */
export interface TerminalRequest {
  /** Under which it finds its terminal again. Without one the terminal ends when its client leaves. */
  readonly key: string | undefined
  /** A terminal that has this key is ended, and another one is started. */
  readonly isFresh: boolean
  launch(): ProgramLaunch
}

const MAX_TERMINALS = 16
const KEEP_MS = 30 * 60_000
const REAP_MS = 60_000

export class Terminals {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #open: Map<string, Terminal> = new Map()
  readonly #ending: Set<Promise<void>> = new Set()
  #last: Promise<unknown> = Promise.resolve()
  #count = 0
  #cancelReaper: (() => void) | undefined
  #isClosed = false

  constructor(deps: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = deps.clock
    this.#log = deps.log
  }

  get size(): number {
    return this.#open.size
  }

  /** Puts the client at the terminal with its key, or at a new one. Throws `WEB_TERMINAL_START` and `WEB_TERMINAL_FULL`. */
  open(request: TerminalRequest, client: TerminalClient): Promise<Seat> {
    // One after the other: two clients with one key come to the same terminal.
    const opened = this.#last.then(() => this.#seat(request, client))
    this.#last = opened.catch(() => undefined)
    return opened
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelReaper?.()
    await this.#last
    for (const key of [...this.#open.keys()]) this.#end(key)
    await Promise.all(this.#ending)
  }

  async #seat({ key: wanted, isFresh, launch }: TerminalRequest, client: TerminalClient): Promise<Seat> {
    if (this.#isClosed) throw new SvcError('WEB_TERMINAL_START', 'The server is being stopped. Connect again later.')
    const key = wanted ?? `once ${this.#count++}`
    const known = this.#open.get(key)
    if (known && isFresh) this.#end(key)
    const terminal = this.#open.get(key) ?? (await this.#start(key, launch()))
    const seat = terminal.attach(client)
    return {
      receive: (frame) => seat.receive(frame),
      leave: () => {
        seat.leave()
        const isLeft = this.#open.get(key) === terminal && terminal.detachedAt !== undefined
        // What has ended was seen to its end.
        if (isLeft && (wanted === undefined || terminal.hasEnded)) this.#end(key)
      },
    }
  }

  async #start(key: string, launch: ProgramLaunch): Promise<Terminal> {
    this.#makeRoom()
    const terminal = await Terminal.start(launch, this.#clock)
    this.#open.set(key, terminal)
    this.#cancelReaper ??= this.#reapLater()
    return terminal
  }

  /** The one whose client left first gives way. */
  #makeRoom(): void {
    if (this.#open.size < MAX_TERMINALS) return
    const left = [...this.#open].filter(([, { detachedAt }]) => detachedAt !== undefined)
    const [oldest] = left.sort(([, a], [, b]) => (a.detachedAt ?? 0) - (b.detachedAt ?? 0))
    if (!oldest)
      throw new SvcError('WEB_TERMINAL_FULL', `${MAX_TERMINALS} terminals are open. Close one, then try again.`)
    this.#end(oldest[0])
  }

  #end(key: string): void {
    const terminal = this.#open.get(key)
    if (!terminal) return
    this.#open.delete(key)
    const ended = terminal
      .end()
      .catch((error: unknown) => logFault(this.#log, 'a terminal could not be ended', error))
      .finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
  }

  #reapLater(): () => void {
    const reap = () => {
      const before = this.#clock.monotonic() - KEEP_MS
      for (const [key, { detachedAt }] of this.#open)
        if (detachedAt !== undefined && detachedAt <= before) this.#end(key)
      this.#cancelReaper = this.#open.size > 0 ? this.#reapLater() : undefined
    }
    return this.#clock.after(REAP_MS, reap, { background: true })
  }
}
