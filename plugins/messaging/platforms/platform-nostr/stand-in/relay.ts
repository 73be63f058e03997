/** A relay of the stand-in (NIP-01, NIP-42): it stores events whose ids and signatures are right, and gives out what is asked for. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type Filter, matchFilters } from 'nostr-tools/filter'
import { type WebSocket, WebSocketServer } from 'ws'
import { isGenuine } from '../envelope.ts'
import { AUTH, eventSchema, findTag, type NostrEvent, OLD_MESSAGE, PROFILE, RELAY_LIST, WRAP } from '../kinds.ts'

export interface RelayRules {
  /** The answer to an event of this sort in the place of storing it; `cut`: the connection breaks. */
  readonly meet?: (event: NostrEvent) => 'cut' | 'take and cut' | string | undefined
  /** An event was stored for the first time. */
  readonly stored?: (event: NostrEvent) => void
  /** The most stored events in one answer. */
  readonly page?: number
  /** A challenge comes only with a refusal, and not when the connection is opened. */
  readonly challengesLate?: true
}

interface Client {
  readonly socket: WebSocket
  readonly challenge: string
  readonly subscriptions: Map<string, Filter[]>
  /** Public keys that have proved themselves. */
  readonly keys: Set<string>
}

const MAX_BYTES = 65_536
const AUTH_S = 600
const FUTURE_S = 900

export class StandInRelay {
  readonly events: NostrEvent[] = []
  readonly #server: WebSocketServer
  readonly #clients: Set<Client> = new Set()
  readonly #rules: RelayRules
  readonly url: string
  /** Nothing is answered any more, not even pings. */
  isSilent = false
  /** No account is let in. */
  isClosed = false

  private constructor(server: WebSocketServer, rules: RelayRules) {
    this.#server = server
    this.#rules = rules
    this.url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('connection', (socket) => this.#welcome(socket))
  }

  static async open(rules: RelayRules = {}): Promise<StandInRelay> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false, perMessageDeflate: false })
    await once(server, 'listening')
    return new StandInRelay(server, rules)
  }

  /** A client reads what is written to this key. */
  isRead(pubkey: string): boolean {
    return [...this.#clients].some(({ subscriptions }) =>
      [...subscriptions.values()].flat().some((filter) => filter['#p']?.includes(pubkey)),
    )
  }

  /** Takes an event as from another client. `times`: it is given out so often. */
  put(event: NostrEvent, times = 1): void {
    this.#store(event)
    for (let time = 0; time < times; time++) this.#giveOut(event)
  }

  cut(): void {
    for (const { socket } of this.#clients) socket.terminate()
  }

  /** Ends all subscriptions with these words. */
  endSubscriptions(reason: string): void {
    for (const client of this.#clients) for (const id of client.subscriptions.keys()) this.#end(client, id, reason)
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise<void>((done) => this.#server.close(() => done()))
  }

  #welcome(socket: WebSocket): void {
    const client: Client = {
      socket,
      challenge: randomBytes(16).toString('hex'),
      subscriptions: new Map(),
      keys: new Set(),
    }
    this.#clients.add(client)
    socket.on('close', () => this.#clients.delete(client)).on('error', () => socket.terminate())
    socket.on('ping', () => void (this.isSilent || socket.pong()))
    socket.on('message', (data) => {
      if (!this.isSilent) this.#hear(String(data), client)
    })
    if (!this.#rules.challengesLate) this.#send(client, 'AUTH', client.challenge)
  }

  #hear(text: string, client: Client): void {
    const message = parse(text)
    if (!Array.isArray(message)) return void this.#send(client, 'NOTICE', 'error: the message is no JSON array')
    const [verb, first, ...rest] = message as readonly unknown[]
    if (verb === 'EVENT') return void this.#takeEvent(first, text, client)
    if (verb === 'AUTH') return void this.#takeAuth(first, client)
    if (verb === 'CLOSE') return void client.subscriptions.delete(String(first))
    if (verb === 'REQ' && typeof first === 'string') return void this.#subscribe(first, rest as Filter[], client)
    this.#send(client, 'NOTICE', 'error: unknown message')
  }

  #takeEvent(value: unknown, text: string, client: Client): void {
    const event = eventSchema.safeParse(value).data
    if (!event) return void this.#send(client, 'NOTICE', 'invalid: the event is malformed')
    const answer = (isTaken: boolean, reason: string) => this.#send(client, 'OK', event.id, isTaken, reason)
    const problem = this.#problem(event, text, client)
    if (problem !== undefined) {
      answer(false, problem)
      return void this.#challenge(problem, client)
    }
    if (this.events.some(({ id }) => id === event.id)) return void answer(true, 'duplicate: already have this event')
    const met = this.#rules.meet?.(event)
    if (met === 'cut') return void client.socket.terminate()
    if (met !== undefined && met !== 'take and cut') return void answer(false, met)
    this.#store(event)
    if (met === 'take and cut') return void client.socket.terminate()
    answer(true, '')
    this.#giveOut(event)
  }

  #problem(event: NostrEvent, text: string, { keys }: Client): string | undefined {
    if (Buffer.byteLength(text) > MAX_BYTES) return `invalid: the event has more than ${MAX_BYTES} bytes`
    if (!isGenuine(event)) return 'invalid: the id or the signature is wrong'
    if (event.created_at > Date.now() / 1000 + FUTURE_S) return 'invalid: the event is of the future'
    if (this.isClosed) return 'restricted: this account is not let in'
    if (keys.size === 0) return 'auth-required: only for those who are known'
    return undefined
  }

  #challenge(refusal: string, client: Client): void {
    if (this.#rules.challengesLate && refusal.startsWith('auth-required')) this.#send(client, 'AUTH', client.challenge)
  }

  #takeAuth(value: unknown, client: Client): void {
    const event = eventSchema.safeParse(value).data
    if (!event) return void this.#send(client, 'NOTICE', 'invalid: the event is malformed')
    const isRight =
      event.kind === AUTH &&
      isGenuine(event) &&
      findTag(event.tags, 'challenge') === client.challenge &&
      findTag(event.tags, 'relay') === this.url &&
      Math.abs(event.created_at - Date.now() / 1000) < AUTH_S
    if (isRight && !this.isClosed) client.keys.add(event.pubkey)
    const reason = this.isClosed ? 'restricted: this account is not let in' : isRight ? '' : 'error: wrong proof'
    this.#send(client, 'OK', event.id, reason === '', reason)
  }

  #subscribe(id: string, filters: Filter[], client: Client): void {
    const refusal = filters.map((filter) => this.#refusal(filter, client)).find((reason) => reason !== undefined)
    if (refusal !== undefined) {
      this.#send(client, 'CLOSED', id, refusal)
      return void this.#challenge(refusal, client)
    }
    client.subscriptions.set(id, filters)
    const page = Math.min(this.#rules.page ?? 500, ...filters.map(({ limit = 500 }) => limit))
    const found = this.events
      .filter((event) => matchFilters(filters, event))
      .sort((one, two) => two.created_at - one.created_at)
    for (const event of found.slice(0, page)) this.#send(client, 'EVENT', id, event)
    this.#send(client, 'EOSE', id)
  }

  /** Direct messages are given only to the person to whom they were written. */
  #refusal({ kinds, '#p': people = [] }: Filter, { keys }: Client): string | undefined {
    if (this.isClosed) return 'restricted: this account is not let in'
    if (!kinds?.some((kind) => kind === WRAP || kind === OLD_MESSAGE)) return undefined
    if (keys.size === 0) return 'auth-required: direct messages are given only to those who are known'
    return people.length > 0 && people.every((key) => keys.has(key)) ? undefined : 'restricted: not your messages'
  }

  #store(event: NostrEvent): void {
    if (this.events.some(({ id }) => id === event.id)) return
    if ([PROFILE, RELAY_LIST].includes(event.kind)) {
      const at = this.events.findIndex(({ kind, pubkey }) => kind === event.kind && pubkey === event.pubkey)
      if (at >= 0) this.events.splice(at, 1)
    }
    this.events.push(event)
    this.#rules.stored?.(event)
  }

  #giveOut(event: NostrEvent): void {
    for (const client of this.#clients)
      for (const [id, filters] of client.subscriptions)
        if (matchFilters(filters, event)) this.#send(client, 'EVENT', id, event)
  }

  #end(client: Client, id: string, reason: string): void {
    client.subscriptions.delete(id)
    this.#send(client, 'CLOSED', id, reason)
  }

  #send({ socket }: Client, ...message: readonly unknown[]): void {
    if (!this.isSilent) socket.send(JSON.stringify(message), () => undefined)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
