/** What opens the dashboard: the token of this process, and tickets that open one request. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Clock, Random } from 'svc/sdk'

/** Milliseconds in which a ticket has to be used: it stands in an address, which proxies and histories keep. */
export const TICKET_MS = 30_000
const MAX_TICKETS = 1000

export class Credentials {
  readonly token: string
  readonly #hash: Buffer
  readonly #clock: () => Clock
  readonly #random: () => Random
  /** When they end, by their hashes; the oldest first. */
  readonly #tickets = new Map<string, number>()

  constructor(given: string | undefined, deps: { readonly clock: () => Clock; readonly random: () => Random }) {
    this.#clock = deps.clock
    this.#random = deps.random
    this.token = given ?? this.#draw()
    this.#hash = hash(this.token)
  }

  /** Takes the same time for every text. */
  isToken(text: string | undefined): boolean {
    return text !== undefined && timingSafeEqual(hash(text), this.#hash)
  }

  createTicket(): string {
    const ticket = this.#draw()
    const now = this.#clock().monotonic()
    for (const [key, end] of this.#tickets) if (end <= now) this.#tickets.delete(key)
    const [oldest] = this.#tickets.size >= MAX_TICKETS ? this.#tickets.keys() : []
    if (oldest !== undefined) this.#tickets.delete(oldest)
    this.#tickets.set(hash(ticket).toString('base64'), now + TICKET_MS)
    return ticket
  }

  /** Whether it was a ticket; it is none afterwards. */
  useTicket(text: string | undefined): boolean {
    if (text === undefined) return false
    const key = hash(text).toString('base64')
    const end = this.#tickets.get(key)
    this.#tickets.delete(key)
    return end !== undefined && end > this.#clock().monotonic()
  }

  #draw(): string {
    return Buffer.from(this.#random().hex(32), 'hex').toString('base64url')
  }
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
