/** One connection to a relay (NIP-01), with authentication (NIP-42). */
import { makeAuthEvent } from 'nostr-tools/nip42'
import { finalizeEvent } from 'nostr-tools/pure'
import { type Clock, tryParseJson } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import { openTextSocket, type TextSocket } from 'svc/sdk/kit/net'
import { isGenuine } from './envelope.ts'
import { eventSchema, type Filter, type NostrEvent } from './kinds.ts'

export interface RelayOptions {
  readonly url: string
  readonly secretKey: Uint8Array
  readonly clock: Clock
  /** Ends the connection. */
  readonly signal: AbortSignal
  /** The relay was heard of. */
  readonly heard?: () => void
}

/** The answer to an event. */
export interface Verdict {
  readonly isTaken: boolean
  /** In the words of the relay: a code, a colon and a sentence. */
  readonly reason: string
}

/** A subscription. Both may be called before `subscribe` resolves. */
export interface Listener {
  event(event: NostrEvent): void
  /** The relay ended it. */
  closed(reason: string): void
}

/** The relay ended a subscription before it began. */
export class RelayRefusal extends Error {}

const ANSWER_MS = 10_000
const PING_MS = 30_000
const SILENCE_MS = 75_000
const MAX_BYTES = 2 ** 20
const NEEDS_AUTH = 'auth-required'

interface Subscription extends Listener {
  stored(): void
}

export class Relay {
  readonly url: string
  readonly #options: RelayOptions
  readonly #abort = new AbortController()
  readonly #answers: Map<string, (verdict: Verdict) => void> = new Map()
  readonly #subscriptions: Map<string, Subscription> = new Map()
  #socket: TextSocket | undefined
  #challenge: string | undefined
  #authentication: Promise<Verdict | undefined> | undefined
  #challenged = () => {}
  #count = 0

  private constructor(options: RelayOptions) {
    this.#options = options
    this.url = options.url
  }

  /** Resolves when it is open, and rejects when it cannot be opened. */
  static async open(options: RelayOptions): Promise<Relay> {
    const relay = new Relay(options)
    await relay.#open()
    return relay
  }

  /** Aborted when the connection is over; its reason is an `Error`. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** The relay's answer to an event; undefined if it gave none, so that it is unknown whether it took the event. */
  async publish(event: NostrEvent): Promise<Verdict | undefined> {
    const verdict = await this.#put('EVENT', event)
    if (!verdict?.reason.startsWith(NEEDS_AUTH)) return verdict
    return (await this.#authenticate())?.isTaken ? this.#put('EVENT', event) : verdict
  }

  /** Resolves once all stored events were given to the listener. Throws `RelayRefusal` if the relay ended it before. */
  async subscribe(id: string, filters: readonly Filter[], listener: Listener): Promise<void> {
    const refused = await this.#ask(id, filters, listener)
    if (refused === undefined) return
    if (!refused.startsWith(NEEDS_AUTH)) throw new RelayRefusal(refused)
    const verdict = await this.#authenticate()
    if (!verdict?.isTaken) throw new RelayRefusal(verdict?.reason || refused)
    const again = await this.#ask(id, filters, listener)
    if (again !== undefined) throw new RelayRefusal(again)
  }

  /** Stored events that match. Throws as `subscribe` does. */
  async query(filters: readonly Filter[]): Promise<readonly NostrEvent[]> {
    const events: NostrEvent[] = []
    const id = `ask-${++this.#count}`
    try {
      await this.subscribe(id, filters, { event: (event) => void events.push(event), closed: () => {} })
    } finally {
      if (this.#subscriptions.delete(id)) this.#send(['CLOSE', id])
    }
    return events
  }

  close(reason = 'it was closed'): void {
    if (this.signal.aborted) return
    this.#abort.abort(new Error(reason))
    this.#socket?.cut()
  }

  async #open(): Promise<void> {
    const { url, signal, clock, heard } = this.#options
    const ended = AbortSignal.any([signal, this.signal])
    const watch = { clock, silenceMs: SILENCE_MS, pingMs: PING_MS }
    await new Promise<void>((resolve, reject) => {
      this.signal.addEventListener('abort', () => reject(this.signal.reason), { once: true })
      const events = {
        opened: resolve,
        heard: () => heard?.(),
        message: (text: string) => this.#take(text),
        closed: (reason: string) => this.close(reason),
      }
      openTextSocket({ url, signal: ended, maxBytes: MAX_BYTES, watch }, events).then((socket) => {
        this.#socket = socket
        if (this.signal.aborted) socket.cut()
      }, reject)
    })
  }

  async #put(verb: 'EVENT' | 'AUTH', event: NostrEvent): Promise<Verdict | undefined> {
    const answer = new Promise<Verdict>((resolve) => this.#answers.set(event.id, resolve))
    try {
      this.#send([verb, event])
      return await waitAtMost(this.#options.clock, ANSWER_MS, answer, { signal: this.signal })
    } finally {
      this.#answers.delete(event.id)
    }
  }

  /** The reason why it was ended; undefined once all that is stored came. */
  async #ask(id: string, filters: readonly Filter[], { event, closed }: Listener): Promise<string | undefined> {
    let isOpen = false
    const begun = new Promise<string | undefined>((resolve) => {
      this.#subscriptions.set(id, {
        event,
        stored: () => {
          isOpen = true
          resolve(undefined)
        },
        closed: (reason) => (isOpen ? closed(reason) : resolve(reason)),
      })
    })
    this.#send(['REQ', id, ...filters])
    const settled = begun.then((reason) => ({ reason }))
    const result = await waitAtMost(this.#options.clock, ANSWER_MS, settled, { signal: this.signal })
    if (result) return result.reason
    this.signal.throwIfAborted()
    throw new Error('it did not answer in time')
  }

  /** Waits for a challenge if none came yet. */
  async #authenticate(): Promise<Verdict | undefined> {
    const { clock } = this.#options
    if (this.#challenge === undefined) {
      const came = new Promise<void>((resolve) => {
        this.#challenged = resolve
      })
      await waitAtMost(clock, ANSWER_MS, came, { signal: this.signal })
    }
    return this.#authentication
  }

  #sign(challenge: string): void {
    const { secretKey, clock, url } = this.#options
    const template = { ...makeAuthEvent(url, challenge), created_at: Math.floor(clock.now() / 1000) }
    this.#challenge = challenge
    this.#authentication = this.#put('AUTH', finalizeEvent(template, secretKey)).catch(() => undefined)
    this.#challenged()
  }

  #send(message: readonly unknown[]): void {
    this.signal.throwIfAborted()
    this.#socket?.send(JSON.stringify(message))
  }

  #take(text: string): void {
    const message: unknown = tryParseJson(text)?.value
    if (!Array.isArray(message)) return
    const [verb, id, third, fourth] = message as readonly unknown[]
    if (typeof id !== 'string') return
    if (verb === 'AUTH') return void this.#sign(id)
    if (verb === 'OK') this.#answers.get(id)?.({ isTaken: third === true, reason: String(fourth ?? '') })
    const subscription = this.#subscriptions.get(id)
    if (verb === 'EOSE') subscription?.stored()
    if (verb === 'CLOSED' && this.#subscriptions.delete(id)) subscription?.closed(String(third ?? ''))
    if (verb !== 'EVENT' || !subscription) return
    const event = eventSchema.safeParse(third).data
    // A relay could make up events.
    if (event && isGenuine(event)) subscription.event(event)
  }
}
