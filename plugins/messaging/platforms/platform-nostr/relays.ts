/** The relays of the account: each is opened again when it is lost, and one that is down stops nothing. */
import { type Clock, errorMessage, type Logger, type Random } from 'svc/sdk'
import { backoff, waitAtMost } from 'svc/sdk/kit/async'
import { deliveryBusy, deliveryRefused } from 'svc/sdk/platform'
import { Relay, RelayRefusal } from './relay.ts'

export interface RelaysDeps {
  readonly urls: readonly string[]
  readonly secretKey: Uint8Array
  readonly clock: Clock
  readonly random: Pick<Random, 'next'>
  readonly log: Logger
  readonly signal: AbortSignal
  readonly heard: () => void
  /** Prepares a relay that was opened. If it rejects, the relay is not used until it is opened again. */
  readonly prepare: (relay: Relay) => Promise<void>
  /** Called when the last open relay is lost. */
  readonly lost: (reason: string, isRefused: boolean) => void
}

const RETRY = { firstMs: 1000, maxMs: 300_000, jitter: 0.5 }
/** Those that are opened for the first time are waited for, at most so long. */
const FIRST_MS = 5000
/** Relays of other people. */
const MAX_GUESTS = 8
const GUEST_MS = 60_000
/** The relay does not want this account. Other words are about the moment. */
const REFUSED = /^(?:restricted|blocked|auth-required)\b/

interface Slot {
  readonly url: string
  relay?: Relay
  /** Resolves when it was tried for the first time. */
  tried: Promise<unknown>
  problem?: string
  isRefused?: boolean
}

interface Guest {
  readonly relay: Promise<Relay>
  cancel: () => void
}

export class Relays {
  readonly #deps: RelaysDeps
  readonly #slots: readonly Slot[]
  readonly #guests: Map<string, Guest> = new Map()
  #isOpen = false

  constructor(deps: RelaysDeps) {
    this.#deps = deps
    this.#slots = deps.urls.map((url) => ({ url, tried: Promise.resolve() }))
  }

  /** Resolves when one of them is ready. Throws what `Platform.connect` does when none is. */
  async open(): Promise<void> {
    const firsts = this.#slots.map((slot) => {
      const first = this.#connect(slot)
      slot.tried = first.catch(() => undefined)
      return first
    })
    try {
      await Promise.any(firsts)
    } catch {
      this.#deps.signal.throwIfAborted()
      const message = `No relay of Nostr could be used: ${this.#describe()}.`
      if (this.#slots.every(({ isRefused }) => isRefused)) throw deliveryRefused('PLATFORM_UNAUTHORIZED', message)
      throw deliveryBusy('PLATFORM_UNREACHABLE', message)
    }
    this.#isOpen = true
    for (const slot of this.#slots) void this.#attend(slot)
  }

  /** Those that are open now. */
  ready(): readonly Relay[] {
    return this.#slots.flatMap(({ relay }) => (relay && !relay.signal.aborted ? relay : []))
  }

  /** Of these addresses, those that can be used. Others than the own ones are opened for a while. */
  async find(urls: readonly string[]): Promise<readonly Relay[]> {
    const found = await Promise.all(
      urls.map(async (url) => {
        const slot = this.#slots.find((each) => each.url === url)
        if (!slot) return this.#visit(url).catch(() => undefined)
        await waitAtMost(this.#deps.clock, FIRST_MS, slot.tried, { signal: this.#deps.signal })
        return slot.relay
      }),
    )
    return found.filter((relay): relay is Relay => relay !== undefined && !relay.signal.aborted)
  }

  /** Keeps a relay ready: waits for its end, and opens it again, with waits that grow. */
  async #attend(slot: Slot): Promise<void> {
    const { clock, random, signal, log } = this.#deps
    await slot.tried
    for (let failures = 0; !signal.aborted; ) {
      if (slot.relay) {
        failures = 0
        await untilAborted(slot.relay.signal)
        slot.problem ??= errorMessage(slot.relay.signal.reason)
        delete slot.relay
        if (!signal.aborted && this.ready().length === 0) return this.#lose()
      }
      log.warn('a relay of Nostr is not connected', { relay: slot.url, problem: slot.problem })
      await clock.sleep(backoff(RETRY, ++failures, random.next()), signal).catch(() => undefined)
      if (!signal.aborted) await this.#connect(slot).catch(() => undefined)
    }
  }

  async #connect(slot: Slot): Promise<void> {
    const { secretKey, clock, signal, heard, prepare } = this.#deps
    delete slot.problem
    slot.isRefused = false
    let relay: Relay | undefined
    try {
      relay = await Relay.open({ url: slot.url, secretKey, clock, signal, heard })
      await prepare(relay)
      relay.signal.throwIfAborted()
      slot.relay = relay
    } catch (error) {
      relay?.close()
      note(slot, error)
      throw error
    }
  }

  /** The relay brings nothing more, for this reason. */
  refuse(relay: Relay, reason: string): void {
    const slot = this.#slots.find(({ url }) => url === relay.url)
    if (slot) note(slot, new RelayRefusal(reason))
    relay.close(reason)
  }

  #lose(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    const isRefused = this.#slots.every((slot) => slot.isRefused)
    this.#deps.lost(`No relay of Nostr is connected: ${this.#describe()}.`, isRefused)
  }

  #describe(): string {
    return this.#slots.map(({ url, problem }) => `${url} (${problem ?? 'the connection ended'})`).join(', ')
  }

  #visit(url: string): Promise<Relay> {
    const { secretKey, clock, signal } = this.#deps
    const known = this.#guests.get(url)
    if (known) {
      this.#keep(url, known)
      return known.relay
    }
    const [oldest] = this.#guests.keys()
    if (this.#guests.size >= MAX_GUESTS && oldest !== undefined) this.#dismiss(oldest)
    const guest: Guest = { relay: Relay.open({ url, secretKey, clock, signal }), cancel: () => {} }
    this.#guests.set(url, guest)
    this.#keep(url, guest)
    guest.relay.then(
      (relay) => relay.signal.addEventListener('abort', () => this.#dismiss(url), { once: true }),
      () => this.#dismiss(url),
    )
    return guest.relay
  }

  #keep(url: string, guest: Guest): void {
    guest.cancel()
    guest.cancel = this.#deps.clock.after(GUEST_MS, () => this.#dismiss(url), { background: true })
  }

  #dismiss(url: string): void {
    const guest = this.#guests.get(url)
    if (!guest) return
    this.#guests.delete(url)
    guest.cancel()
    guest.relay.then(
      (relay) => relay.close(),
      () => undefined,
    )
  }
}

function note(slot: Slot, error: unknown): void {
  slot.problem = errorMessage(error)
  slot.isRefused = error instanceof RelayRefusal && REFUSED.test(error.message)
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
