/** How far an account was read, by ids of messages, which grow. */
import { tryParseJson } from 'svc/sdk'
import { z } from 'zod'

/** The server gives a message its id before it tells of it: another one may overtake it by so many seconds. */
const OVERTAKEN_S = 10

const stored = z.object({ since: z.number(), taken: z.array(z.tuple([z.number(), z.number()])) })

export class Position {
  #since: number | undefined
  /** Messages behind `since` that were taken, with their time in seconds. */
  readonly #taken: Map<number, number>
  #newest = 0

  /** `text` was made by `toString`. */
  constructor(text: string | undefined) {
    const known = stored.safeParse(tryParseJson(text ?? '')?.value).data
    this.#since = known?.since
    this.#taken = new Map(known?.taken)
    this.#newest = Math.max(0, ...this.#taken.values())
  }

  /** Undefined in an account that was never read. */
  get since(): number | undefined {
    return this.#since
  }

  /** Up to this message nothing is read. */
  start(messageId: number): void {
    this.#since = messageId
  }

  has(messageId: number): boolean {
    return messageId <= (this.#since ?? 0) || this.#taken.has(messageId)
  }

  /** `at` in seconds, by the server's clock. */
  add(messageId: number, at: number): void {
    this.#newest = Math.max(this.#newest, at)
    this.#taken.set(messageId, at)
    let since = this.#since ?? 0
    for (const [id, when] of this.#taken) if (when < this.#newest - OVERTAKEN_S) since = Math.max(since, id)
    for (const id of this.#taken.keys()) if (id <= since) this.#taken.delete(id)
    this.#since = since
  }

  toString(): string {
    return JSON.stringify({ since: this.#since, taken: [...this.#taken] })
  }
}
