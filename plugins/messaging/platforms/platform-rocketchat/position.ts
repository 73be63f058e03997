/** Until when all messages of an account were read, by the server's clock. */
import { tryParseJson } from 'svc/sdk'
import { z } from 'zod'

/** The server gives a message its time before it tells of it: another one may overtake it by so much. */
const OVERTAKEN_MS = 5000

const stored = z.object({ since: z.number(), taken: z.array(z.tuple([z.string(), z.number()])) })

export class Position {
  #since: number | undefined
  /** Messages that were taken and are not older than `since`. */
  readonly #taken: Map<string, number>

  /** `text` was made by `toString`. */
  constructor(text: string | undefined) {
    const known = stored.safeParse(tryParseJson(text ?? '')?.value).data
    this.#since = known?.since
    this.#taken = new Map(known?.taken)
  }

  /** Undefined in an account that was never read. */
  get since(): number | undefined {
    return this.#since
  }

  start(at: number): void {
    this.#since = at
  }

  has(id: string, at: number): boolean {
    return at <= (this.#since ?? 0) || this.#taken.has(id)
  }

  add(id: string, at: number): void {
    this.#taken.set(id, at)
    const since = Math.max(this.#since ?? 0, at - OVERTAKEN_MS)
    for (const [each, when] of this.#taken) if (when <= since) this.#taken.delete(each)
    this.#since = since
  }

  toString(): string {
    return JSON.stringify({ since: this.#since, taken: [...this.#taken] })
  }
}
