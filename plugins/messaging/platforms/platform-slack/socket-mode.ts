/**
 * Slack's socket mode (docs.slack.dev/apis/events-api/using-socket-mode): envelopes are acknowledged after they were taken,
 * and before Slack ends a connection it says so, so that the next one is there before.
 */
import { type Clock, errorMessage, tryParseJson } from 'svc/sdk'
import { openTextSocket, type TextSocket } from 'svc/sdk/kit/net'
import { deliveryBusy, deliveryRefused } from 'svc/sdk/platform'
import { z } from 'zod'

const HELLO_MS = 20_000
const PING_MS = 15_000
const SILENCE_MS = 45_000

const envelope = z.object({
  type: z.string(),
  envelope_id: z.string().optional(),
  payload: z.unknown().optional(),
  reason: z.string().optional(),
})

export interface SocketDeps {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** An address for one connection; it is a secret, because it needs no token. */
  address(): Promise<string>
  /** Rejects when it could not be taken: then it comes again. */
  take(type: string, payload: unknown): Promise<void>
  alive(): void
  /** Said once, and only after it was open. */
  lost(reason: string, options?: { readonly final?: boolean; readonly code?: string }): void
}

/** Resolves when events flow. */
export async function openSocketMode(deps: SocketDeps): Promise<SocketMode> {
  const mode = new SocketMode(deps)
  await mode.open()
  return mode
}

export class SocketMode {
  readonly #deps: SocketDeps
  #line: Line | undefined
  #isRenewing = false

  constructor(deps: SocketDeps) {
    this.#deps = deps
  }

  get isOpen(): boolean {
    return this.#line?.isOpen ?? false
  }

  async open(): Promise<void> {
    const url = await this.#deps.address()
    const line: Line = new Line(this.#deps, {
      ended: (reason) => this.#ended(line, reason),
      farewell: (reason) => void this.#farewell(reason),
    })
    await line.open(url)
    this.#line?.cut()
    this.#line = line
  }

  /** The one that is being replaced may end. */
  #ended(line: Line, reason: string): void {
    if (line === this.#line && !this.#isRenewing) this.#deps.lost(reason)
  }

  async #farewell(reason: string): Promise<void> {
    if (reason === 'link_disabled') {
      const advice = 'Socket mode was switched off for the Slack app. Switch it on at https://api.slack.com/apps.'
      return void this.#deps.lost(advice, { final: true, code: 'slack_socket_disabled' })
    }
    if (this.#isRenewing) return
    this.#isRenewing = true
    try {
      await this.open()
    } catch (error) {
      this.#deps.lost(`Slack asked for a new connection, and it could not be made: ${errorMessage(error)}`)
    } finally {
      this.#isRenewing = false
    }
  }
}

interface LineEnds {
  /** Only after it was open. */
  ended(reason: string): void
  farewell(reason: string): void
}

/** One connection. */
class Line {
  readonly #deps: SocketDeps
  readonly #ends: LineEnds
  #socket: TextSocket | undefined
  #state: 'opening' | 'open' | 'ended' = 'opening'
  #heardAt = 0
  #cancelPing: () => void = () => undefined
  #settle: (problem?: string) => void = () => undefined

  constructor(deps: SocketDeps, ends: LineEnds) {
    this.#deps = deps
    this.#ends = ends
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  async open(url: string): Promise<void> {
    const { clock, signal } = this.#deps
    const outcome = new Promise<string | undefined>((resolve) => {
      this.#settle = resolve
    })
    const cancel = clock.after(HELLO_MS, () => this.#end('Slack did not say hello in time.'))
    const ends = {
      message: (text: string) => this.#read(text),
      heard: () => this.#heard(),
      closed: (reason: string) => this.#end(`The connection to Slack ended: ${reason}.`),
    }
    try {
      this.#socket = await openTextSocket({ url, signal }, ends)
      if (this.#state === 'ended') this.#socket.cut()
    } catch {
      // The address is secret and must not appear in messages.
      this.#end('Slack returned an invalid address.')
    }
    const problem = await outcome
    cancel()
    if (problem === undefined) return void this.#watch()
    if (signal.aborted) throw deliveryRefused('SLACK_DISCONNECTED', 'Slack was closed while it was connected.')
    throw deliveryBusy('SLACK_SOCKET', problem)
  }

  cut(): void {
    this.#state = 'ended'
    this.#cancelPing()
    this.#socket?.cut()
  }

  #heard(): void {
    this.#heardAt = this.#deps.clock.monotonic()
    this.#deps.alive()
  }

  /** A connection can be lost without notice. */
  #watch(): void {
    const { clock } = this.#deps
    if (this.#state !== 'open') return
    this.#cancelPing = clock.after(
      PING_MS,
      () => {
        if (clock.monotonic() - this.#heardAt >= SILENCE_MS) return void this.#end('Slack has gone silent.')
        this.#socket?.ping()
        this.#watch()
      },
      { background: true },
    )
  }

  #read(text: string): void {
    if (this.#state === 'ended') return
    const said = envelope.safeParse(tryParseJson(text)?.value).data
    if (!said) return void this.#end('Slack sent something that is no envelope.')
    if (said.type === 'hello') this.#hello()
    else if (said.type === 'disconnect') this.#ends.farewell(said.reason ?? '')
    else if (said.envelope_id !== undefined) void this.#take(said.type, said.envelope_id, said.payload)
  }

  #hello(): void {
    if (this.#state !== 'opening') return
    this.#state = 'open'
    this.#settle()
  }

  async #take(type: string, id: string, payload: unknown): Promise<void> {
    const isTaken = await this.#deps.take(type, payload).then(
      () => true,
      () => false,
    )
    if (isTaken && this.#state === 'open') this.#socket?.send(JSON.stringify({ envelope_id: id }))
  }

  #end(reason: string): void {
    if (this.#state === 'ended') return
    const wasOpen = this.isOpen
    this.cut()
    this.#settle(reason)
    if (wasOpen && !this.#deps.signal.aborted) this.#ends.ended(reason)
  }
}
