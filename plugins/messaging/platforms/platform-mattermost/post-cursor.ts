/** Until when all posts of an account were taken, by the server's clock. */
import { tryParseJson } from 'svc/sdk'
import type { ReadCursor } from 'svc/sdk/platform'
import { z } from 'zod'

/** The server gives a post its time before it tells of it: another one may overtake it by so much. */
const OVERTAKEN_MS = 2000

const kept = z.object({ since: z.number(), taken: z.array(z.tuple([z.string(), z.number()])) })

/** Read from the cursor of the account when a connection is made, and kept there. */
export class PostCursor {
  readonly #cursor: ReadCursor
  /** Posts that were taken and are not older than `since`. */
  readonly #taken: Map<string, number>
  #since: number | undefined

  constructor(cursor: ReadCursor) {
    this.#cursor = cursor
    const known = kept.safeParse(tryParseJson(cursor.get() ?? '')?.value).data
    this.#since = known?.since
    this.#taken = new Map(known?.taken)
  }

  /** From when on posts are asked for; some of them may have been taken. Undefined before the first connection. */
  get since(): number | undefined {
    return this.#since
  }

  has(id: string): boolean {
    return this.#taken.has(id)
  }

  /** Older ones are ignored. */
  start(at: number): void {
    this.#since = at
    this.#save()
  }

  add(id: string, at: number): void {
    const since = Math.max(this.#since ?? 0, at - OVERTAKEN_MS)
    this.#since = since
    this.#taken.set(id, at)
    for (const [each, when] of this.#taken) if (when <= since) this.#taken.delete(each)
    this.#save()
  }

  #save(): void {
    this.#cursor.set(JSON.stringify({ since: this.#since, taken: [...this.#taken] }))
  }
}
