/** Posts are handed over one after the other, those that were missed before those that come now. */
import { errorMessage } from 'svc/sdk'
import { type GatewayConnection, retryUntilTaken } from 'svc/sdk/platform'
import { z } from 'zod'
import { type CatchUpDeps, missedSince, newestPost } from './catch-up.ts'
import { type PlacedPost, placedPost, type Reader, readPost } from './inbound.ts'
import type { PostCursor } from './post-cursor.ts'

export interface IntakeDeps extends CatchUpDeps {
  readonly link: GatewayConnection
  readonly reader: Reader
  readonly signal: AbortSignal
  readonly taken: PostCursor
}

export class Intake {
  readonly #deps: IntakeDeps
  #line: Promise<void> = Promise.resolve()
  /** Posts that were asked for: events tell of them, too. */
  #asked: ReadonlySet<string> = new Set()

  constructor(deps: IntakeDeps) {
    this.#deps = deps
  }

  /** An event `posted`. */
  posted(data: unknown): void {
    try {
      const placed = placedPost(data)
      this.#enqueue(async () => {
        if (!this.#asked.has(placed.post.id)) await this.#hand(placed)
      })
    } catch (error) {
      const reason = error instanceof z.ZodError ? z.prettifyError(error).slice(0, 300) : errorMessage(error)
      this.#deps.log.warn(`An event of Mattermost cannot be understood: ${reason}`)
    }
  }

  /**
   * Asks for what was missed, before all events that come from now on, and after `open`. Rejects when the server does not
   * say it: then it will be asked for the same with the next connection. It does not wait until the posts were taken.
   */
  async catchUp(open: () => Promise<void> = async () => undefined): Promise<void> {
    const { taken } = this.#deps
    // Nothing is older than the first connection, by the server's own clock.
    if (taken.since === undefined) taken.start(await newestPost(this.#deps))
    const asked = Promise.all([this.#line, open()]).then(() => this.#missed())
    const line = asked.then(async (posts) => {
      for (const each of posts) await this.#hand(each)
    })
    // Without an answer nothing is taken any more: what was missed would be older than what was taken.
    this.#line = line.catch(() => new Promise(() => undefined))
    await asked
  }

  async #missed(): Promise<readonly PlacedPost[]> {
    const { taken } = this.#deps
    const missed = await missedSince(this.#deps, taken.since ?? 0)
    this.#asked = new Set(missed.map(({ post }) => post.id))
    return missed.filter(({ post }) => !taken.has(post.id))
  }

  #enqueue(work: () => Promise<void>): void {
    const { log, signal } = this.#deps
    this.#line = this.#line.then(work).catch((error: unknown) => {
      if (!signal.aborted) log.warn(`Posts of Mattermost were not taken: ${errorMessage(error)}`, { error })
    })
  }

  async #hand(placed: PlacedPost): Promise<void> {
    const { link, reader, signal, taken } = this.#deps
    await retryUntilTaken(async () => {
      const inbound = await readPost(placed, reader)
      signal.throwIfAborted()
      if (inbound) await link.receive(inbound)
    }, this.#deps)
    taken.add(placed.post.id, placed.post.create_at)
  }
}
