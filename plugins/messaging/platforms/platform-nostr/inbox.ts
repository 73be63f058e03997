/** What was written to the account, of all relays together: in order, each message once, and what was missed first. */
import { type Clock, type Logger, tryParseJson } from 'svc/sdk'
import { setBounded } from 'svc/sdk/kit/state'
import { type GatewayConnection, retryUntilTaken } from 'svc/sdk/platform'
import { z } from 'zod'
import { readEvent, toInbound, type Words } from './inbound.ts'
import { type Filter, type NostrEvent, OLD_MESSAGE, WRAP } from './kinds.ts'
import type { People } from './people.ts'
import type { Relay } from './relay.ts'

export interface InboxDeps {
  readonly secretKey: Uint8Array
  /** The public key of the account. */
  readonly own: string
  readonly readsOld: boolean
  readonly people: Pick<People, 'find'>
  readonly link: GatewayConnection
  readonly clock: Clock
  readonly log: Logger
  readonly signal: AbortSignal
}

const SUBSCRIPTION = 'inbox'
const PAGE = 500
const MAX_PAGES = 20
/** Wraps carry a time of up to two days before they were made (NIP-59). */
const WRAP_S = 2 * 24 * 60 * 60
/** For clocks that are not right, and for messages that were long on their way. */
const SLACK_S = 600
/** Messages from before the account was first read are not answered. */
const BEGIN_S = 60
const MAX_SEEN = 5000
const MAX_STORED = 300
const ID_LENGTH = 16
const stored = z.object({ begun: z.number(), ids: z.array(z.string()) })

export class Inbox {
  readonly #deps: InboxDeps
  /** When the account was first read, in seconds. */
  readonly #begun: number
  /** Beginnings of the ids of messages that were taken. */
  readonly #taken: Map<string, true>
  /** Events that were looked at; other relays bring them again. */
  readonly #events: Map<string, true> = new Map()
  #work: Promise<void> = Promise.resolve()

  constructor(deps: InboxDeps) {
    this.#deps = deps
    const known = stored.safeParse(tryParseJson(deps.link.cursor(deps.own).get() ?? '')?.value).data
    this.#begun = known?.begun ?? this.#now()
    this.#taken = new Map(known?.ids.map((id) => [id, true]))
    if (!known) this.#store()
  }

  /** Reads what was missed at a relay, and then what comes. `closed`: it brings nothing more. */
  async follow(relay: Relay, closed: (reason: string) => void): Promise<void> {
    const missed: NostrEvent[] = []
    const from = this.#now()
    let isLive = false
    const event = (each: NostrEvent) => void (isLive ? this.#enqueue([each], relay, this.#now()) : missed.push(each))
    await relay.subscribe(SUBSCRIPTION, this.#filters(relay), { event, closed })
    await this.#readPages(relay, missed)
    isLive = true
    this.#enqueue(missed, relay, from)
  }

  #filters(relay: Relay, until?: number): readonly Filter[] {
    const from = Number(this.#cursor(relay).get() ?? this.#now()) - SLACK_S
    const more = { '#p': [this.#deps.own], limit: PAGE, ...(until !== undefined && { until }) }
    const old = { kinds: [OLD_MESSAGE], since: from, ...more }
    return [{ kinds: [WRAP], since: from - WRAP_S, ...more }, ...(this.#deps.readsOld ? [old] : [])]
  }

  /** Relays give out the newest events of a long time, and how many is up to them. */
  async #readPages(relay: Relay, missed: NostrEvent[]): Promise<void> {
    const ids = new Set(missed.map(({ id }) => id))
    for (let page = 0; missed.length > 0; page++) {
      const until = missed.reduce((oldest, each) => Math.min(oldest, each.created_at), Number.POSITIVE_INFINITY)
      const more = (await relay.query(this.#filters(relay, until))).filter(({ id }) => !ids.has(id))
      if (more.length === 0) return
      for (const each of more) ids.add(each.id)
      missed.push(...more)
      if (page === MAX_PAGES) return void this.#deps.log.warn('more was missed than is read back', { relay: relay.url })
    }
  }

  /** `at`: when they arrived. */
  #enqueue(events: readonly NostrEvent[], relay: Relay, at: number): void {
    const { signal, log } = this.#deps
    this.#work = this.#work
      .then(() => this.#take(events, relay, at))
      .catch((error: unknown) => {
        if (!signal.aborted) log.warn('a message of Nostr could not be read', { error })
      })
  }

  async #take(events: readonly NostrEvent[], relay: Relay, at: number): Promise<void> {
    const words = events.flatMap((event) => this.#read(event)).sort((one, two) => one.at - two.at)
    for (const each of words) await this.#handOver(each)
    // Not the time of now: others arrived meanwhile, and wait.
    this.#cursor(relay).set(String(at))
  }

  #read(event: NostrEvent): readonly Words[] {
    const { secretKey, own, log } = this.#deps
    if (this.#events.has(event.id)) return []
    setBounded(this.#events, event.id, true, MAX_SEEN)
    const read = readEvent(event, secretKey, own)
    if (typeof read !== 'string') return read.at < this.#begun - BEGIN_S ? [] : [read]
    log.debug('an event of Nostr is no message', { event: event.id, problem: read })
    return []
  }

  async #handOver(words: Words): Promise<void> {
    const { link, people, clock, log, signal } = this.#deps
    const id = words.messageId.slice(0, ID_LENGTH)
    if (this.#taken.has(id)) return
    const { name, isBot } = await people.find(words.pubkey)
    const message = toInbound(words, { isBot, now: clock.now(), ...(name !== undefined && { name }) })
    await retryUntilTaken(() => link.receive(message), { clock, log, signal })
    setBounded(this.#taken, id, true, MAX_SEEN)
    this.#store()
  }

  #store(): void {
    const ids = [...this.#taken.keys()].slice(-MAX_STORED)
    this.#deps.link.cursor(this.#deps.own).set(JSON.stringify({ begun: this.#begun, ids }))
  }

  #cursor(relay: Relay) {
    return this.#deps.link.cursor(`${this.#deps.own} ${relay.url}`)
  }

  #now(): number {
    return Math.floor(this.#deps.clock.now() / 1000)
  }
}
