/**
 * Posts are handed over one after the other. One that could not be taken is tried again; what was written while nobody was
 * connected is asked for, from the first post that was not taken.
 */
import { type Clock, errorMessage, type Logger, type PlatformLink } from 'svc/sdk'
import { z } from 'zod'
import type { MattermostApi } from './api.ts'
import { type PlacedPost, placedPost, post, type Reader, readPost } from './inbound.ts'

const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 60_000
/** Stands for what was not asked for yet. */
const CATCH_UP = 'catch-up'

/** Kept by the platform from one connection to the next: until when all posts were taken, by the server's clock. */
export class Taken {
  #newest: number | undefined
  readonly #open: Map<string, number> = new Map()

  /** Undefined before the first connection: nothing is asked for then. */
  get until(): number | undefined {
    if (this.#newest === undefined) return undefined
    return Math.min(this.#newest, ...[...this.#open.values()].map((at) => at - 1))
  }

  begin(id: string, at: number): void {
    this.#open.set(id, at)
  }

  done(id: string, at: number): void {
    this.#open.delete(id)
    this.start(at)
  }

  start(at: number): void {
    this.#newest = Math.max(this.#newest ?? 0, at)
  }
}

/** What it works with. */
export interface IntakeHost {
  readonly api: MattermostApi
  readonly clock: Clock
  readonly log: Logger
  readonly link: PlatformLink
  readonly reader: Reader
  readonly signal: AbortSignal
  readonly taken: Taken
}

const channels = z.array(
  z.object({
    id: z.string(),
    type: z.string(),
    display_name: z.string().default(''),
    last_post_at: z.number().default(0),
  }),
)
type Channel = z.infer<typeof channels>[number]
const posts = z.object({ posts: z.record(z.string(), post).nullish() })

export class Intake {
  readonly #host: IntakeHost
  #line: Promise<void> = Promise.resolve()
  /** What calls off the tries that wait. */
  readonly #waiting: Set<() => void> = new Set()

  constructor(host: IntakeHost) {
    this.#host = host
    host.signal.addEventListener('abort', () => this.#callOff(), { once: true })
  }

  /** An event `posted`. */
  posted(data: unknown): void {
    try {
      this.#take(placedPost(data))
    } catch (error) {
      this.#host.log.warn(`An event of Mattermost cannot be understood: ${reasonOf(error)}`)
    }
  }

  /**
   * To be begun before events flow. Rejects when the server does not say what was written meanwhile; then it will be asked
   * for the same the next time, whatever comes in between.
   */
  async catchUp(opened: Promise<void> = Promise.resolve()): Promise<void> {
    const { api, taken } = this.#host
    const since = taken.until
    if (since !== undefined) taken.begin(CATCH_UP, since + 1)
    await opened
    const what = 'say what was written meanwhile'
    const all = await api.ask({ method: 'GET', path: '/users/me/channels', what }, channels)
    // Nothing is older than the first connection, by the server's own clock.
    if (since === undefined) return void taken.start(Math.max(0, ...all.map(({ last_post_at }) => last_post_at)))
    for (const channel of all.filter(({ last_post_at }) => last_post_at > since)) await this.#missedIn(channel, since)
    taken.done(CATCH_UP, since)
  }

  async #missedIn({ id, type, display_name }: Channel, since: number): Promise<void> {
    const path = `/channels/${encodeURIComponent(id)}/posts?since=${since}`
    const said = await this.#host.api.ask({ method: 'GET', path, what: 'say what was written meanwhile' }, posts)
    const missed = Object.values(said.posts ?? {}).filter(({ create_at }) => create_at > since)
    for (const each of missed.sort((a, b) => a.create_at - b.create_at)) {
      this.#take({ post: each, channelType: type, channelName: display_name })
    }
  }

  #take(placed: PlacedPost): void {
    this.#host.taken.begin(placed.post.id, placed.post.create_at)
    this.#enqueue(placed, FIRST_WAIT_MS)
  }

  #enqueue(placed: PlacedPost, waitMs: number): void {
    this.#line = this.#line.then(() => this.#handle(placed, waitMs))
  }

  #callOff(): void {
    for (const cancel of this.#waiting) cancel()
    this.#waiting.clear()
  }

  #again(placed: PlacedPost, waitMs: number): void {
    const cancel = this.#host.clock.after(
      waitMs,
      () => {
        this.#waiting.delete(cancel)
        this.#enqueue(placed, Math.min(waitMs * 2, LONGEST_WAIT_MS))
      },
      { background: true },
    )
    this.#waiting.add(cancel)
  }

  async #handle(placed: PlacedPost, waitMs: number): Promise<void> {
    const { link, log, reader, signal, taken } = this.#host
    if (signal.aborted) return
    try {
      const inbound = await readPost(placed, reader)
      if (signal.aborted) return
      if (inbound) await link.receive(inbound)
      taken.done(placed.post.id, placed.post.create_at)
    } catch (error) {
      if (signal.aborted) return
      log.warn(`A post was not taken, and is tried again: ${reasonOf(error)}`)
      this.#again(placed, waitMs)
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof z.ZodError ? z.prettifyError(error).slice(0, 300) : errorMessage(error)
}
