/** What opens the dashboard: the token of this process, and tickets that open one request. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Clock, Random } from 'svc/sdk'
import type { HttpRequest } from 'svc/sdk/web'

/** Milliseconds in which a ticket has to be used: it stands in an address, which proxies and histories keep. */
export const TICKET_MS = 30_000
const MAX_TICKETS = 1000

interface Ticket {
  readonly end: number
  /** Of the login of the person who drew it; undefined for the holder of the token. */
  readonly login: AbortSignal | undefined
}

export class Credentials {
  readonly token: string
  /** Part of the addresses of frames, which send no credential: only clients with the token are told it. */
  readonly frameKey: string
  readonly #hash: Buffer
  readonly #clock: () => Clock
  readonly #random: () => Random
  /** By their hashes; the oldest first. */
  readonly #tickets = new Map<string, Ticket>()
  /** When the login ends by which a request was opened. */
  readonly #ends = new WeakMap<HttpRequest, AbortSignal>()

  constructor(given: string | undefined, deps: { readonly clock: () => Clock; readonly random: () => Random }) {
    this.#clock = deps.clock
    this.#random = deps.random
    this.token = given ?? this.#draw()
    this.#hash = hash(this.token)
    this.frameKey = this.#draw()
  }

  /** Takes the same time for every text. */
  isToken(text: string | undefined): boolean {
    return text !== undefined && timingSafeEqual(hash(text), this.#hash)
  }

  createTicket(login?: AbortSignal): string {
    const ticket = this.#draw()
    const now = this.#clock().monotonic()
    for (const [key, { end }] of this.#tickets) if (end <= now) this.#tickets.delete(key)
    const [oldest] = this.#tickets.size >= MAX_TICKETS ? this.#tickets.keys() : []
    if (oldest !== undefined) this.#tickets.delete(oldest)
    this.#tickets.set(hash(ticket).toString('base64'), { end: now + TICKET_MS, login })
    return ticket
  }

  /** Whether the text is a valid ticket, which is then used up. The request is tied to the login of the ticket. */
  useTicket(text: string | undefined, request: HttpRequest): boolean {
    if (text === undefined) return false
    const key = hash(text).toString('base64')
    const ticket = this.#tickets.get(key)
    this.#tickets.delete(key)
    if (!ticket || ticket.end <= this.#clock().monotonic() || ticket.login?.aborted) return false
    if (ticket.login) this.#ends.set(request, ticket.login)
    return true
  }

  /** Aborted when the login ends that opened a request; undefined for one that a token opened. */
  endOf(request: HttpRequest): AbortSignal | undefined {
    return this.#ends.get(request)
  }

  #draw(): string {
    return Buffer.from(this.#random().hex(32), 'hex').toString('base64url')
  }
}

/** What texts are compared by: hashes have one length. */
export function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
