/**
 * Mattermost's WebSocket (developers.mattermost.com/api-documentation, "WebSocket"): a challenge with the token, then
 * events with ascending numbers. It is opened once; making a new one is the business of svc's gateway.
 */
import { type Clock, errorMessage, tryParseJson } from 'svc/sdk'
import { openTextSocket, type TextSocket } from 'svc/sdk/kit/net'
import { deliveryBusy, deliveryRefused } from 'svc/sdk/platform'
import { z } from 'zod'
import { UNAUTHORIZED } from './api.ts'

const READY_MS = 20_000
const PING_MS = 30_000
const CHALLENGE = 1

const frame = z.object({
  event: z.string().optional(),
  data: z.unknown().optional(),
  seq: z.number().optional(),
  seq_reply: z.number().optional(),
  status: z.string().optional(),
  error: z.object({ message: z.string().default(''), status_code: z.number().optional() }).optional(),
})

export interface EventsDeps {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly url: string
  readonly token: string
  posted(data: unknown): void
  /** Events in between did not come. */
  missed(): void
  alive(): void
  /** Said once, and only after it was open. */
  lost(reason: string, options?: { readonly final?: boolean; readonly code?: string }): void
}

/** Events that flow. */
export class Events {
  readonly #deps: EventsDeps
  #socket: TextSocket | undefined
  #state: 'opening' | 'open' | 'ended' = 'opening'
  #sent = 0
  #expected: number | undefined
  /** A ping that waits for its answer. */
  #pinged: number | undefined
  #cancelPing: () => void = () => undefined
  #settle: (problem?: Error) => void = () => undefined

  constructor(deps: EventsDeps) {
    this.#deps = deps
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** Resolves when events flow. Throws `refused` for a token that is not accepted, else `busy`. */
  async open(): Promise<void> {
    const { clock, signal, url, token } = this.#deps
    const outcome = new Promise<Error | undefined>((resolve) => {
      this.#settle = resolve
    })
    const cancel = clock.after(READY_MS, () => this.#end('Mattermost did not answer in time.'))
    const ends = {
      opened: () => this.#send('authentication_challenge', { token }),
      message: (text: string) => this.#read(text),
      heard: () => this.#deps.alive(),
      closed: (reason: string) => this.#end(`The connection to Mattermost ended: ${reason}.`),
    }
    try {
      const address = `${url.replace(/^http/, 'ws')}/api/v4/websocket`
      this.#socket = await openTextSocket({ url: address, signal }, ends)
      if (this.#state === 'ended') this.#socket.cut()
    } catch (error) {
      this.#end(`The address of Mattermost cannot be used: ${errorMessage(error)}.`)
    }
    const problem = await outcome
    cancel()
    if (problem) throw problem
    this.#watch()
  }

  typing(channelId: string, threadId: string | undefined): void {
    if (this.isOpen) this.#send('user_typing', { channel_id: channelId, parent_id: threadId ?? '' })
  }

  #send(action: string, data: object): number {
    this.#sent++
    this.#socket?.send(JSON.stringify({ action, seq: this.#sent, data }))
    return this.#sent
  }

  #read(text: string): void {
    if (this.#state === 'ended') return
    const said = frame.safeParse(tryParseJson(text)?.value).data
    if (!said) return void this.#end('Mattermost sent something that is no event.')
    if (said.seq_reply !== undefined) this.#replied(said.seq_reply, said)
    if (said.event === undefined || said.seq === undefined) return
    const isGap = this.#expected !== undefined && said.seq > this.#expected
    this.#expected = said.seq + 1
    // What is missing was written before.
    if (isGap) this.#deps.missed()
    if (said.event === 'posted') this.#deps.posted(said.data)
  }

  #replied(to: number, { status, error }: z.infer<typeof frame>): void {
    if (to === this.#pinged) this.#pinged = undefined
    if (to !== CHALLENGE || this.#state !== 'opening') return
    if (status === 'OK') {
      this.#state = 'open'
      this.#settle()
    } else if (error?.status_code === 401 || status === 'FAIL') {
      this.#end(UNAUTHORIZED, deliveryRefused('MATTERMOST_UNAUTHORIZED', UNAUTHORIZED))
    }
  }

  /** A connection can be lost without notice. */
  #watch(): void {
    if (this.#state !== 'open') return
    this.#cancelPing = this.#deps.clock.after(
      PING_MS,
      () => {
        if (this.#pinged !== undefined) return void this.#end('Mattermost did not answer a ping.')
        this.#pinged = this.#send('ping', {})
        this.#watch()
      },
      { background: true },
    )
  }

  #end(reason: string, problem: Error = deliveryBusy('MATTERMOST_SOCKET', reason)): void {
    if (this.#state === 'ended') return
    const wasOpen = this.isOpen
    this.#state = 'ended'
    this.#cancelPing()
    this.#socket?.cut()
    this.#settle(problem)
    if (wasOpen && !this.#deps.signal.aborted) this.#deps.lost(reason)
  }
}
