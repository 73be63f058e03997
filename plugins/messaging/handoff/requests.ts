/** Requests that wait for their confirmation in another chat. On disk, few, and for minutes only. */
import { Clock, type PluginContext, Random } from 'svc/sdk'
import { formatTarget } from 'svc/sdk/kit/text'
import { z } from 'zod'
import type { Config } from './config.ts'
import { type Origin, originSchema } from './places.ts'

export type RequestKind = 'handoff' | 'mirror'

const requestSchema = z.object({
  id: z.string(),
  kind: z.enum(['handoff', 'mirror']),
  sessionId: z.string(),
  /** The session, for people. */
  title: z.string(),
  from: originSchema,
  /** The chat that may confirm it, as a target; left out: the chat in which the code is typed. */
  target: z.string().optional(),
  code: z.string().optional(),
  /** Who confirmed it. From then on it is carried out, also after a crash. */
  to: originSchema.optional(),
  /** What is told with the confirmation. It is stored, so that a message that is repeated after a crash has the same text. */
  excerpt: z.string().optional(),
  expiresAt: z.number(),
})
export type Request = z.infer<typeof requestSchema>

const bookSchema = z.object({
  requests: z.array(requestSchema),
  /** Wrong codes by the chat in which they were typed. */
  wrong: z.record(z.string(), z.object({ count: z.number(), until: z.number() })),
})

const MAX_REQUESTS = 20
const MAX_WRONG = 5
const WRONG_MS = 3_600_000
/** Without letters and digits that look alike. 32 signs: 40 bits in 8 of them. */
const SIGNS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const CODE_LENGTH = 8

export class Requests {
  readonly #ctx: PluginContext<Config>
  readonly #state

  constructor(ctx: PluginContext<Config>) {
    this.#ctx = ctx
    this.#state = ctx.state('requests', { schema: bookSchema, initial: { requests: [], wrong: {} } })
  }

  /** Those that are confirmed and were not carried out. */
  confirmed(kind: RequestKind): readonly (Request & { readonly to: Origin })[] {
    return this.#state
      .get()
      .requests.flatMap((each) => (each.kind === kind && each.to ? [{ ...each, to: each.to }] : []))
  }

  /** A newer request of the same chat takes the place of an older one. Without `target` it gets a code. */
  async ask(request: Omit<Request, 'id' | 'code' | 'to' | 'excerpt' | 'expiresAt'>): Promise<Request> {
    const random = this.#ctx.use(Random)
    const bytes = Buffer.from(random.hex(CODE_LENGTH), 'hex')
    const code = [...bytes].map((byte) => SIGNS[byte % SIGNS.length]).join('')
    const expiresAt = this.#now() + this.#ctx.config.request_minutes * 60_000
    const made: Request = {
      ...{ ...request, id: random.hex(8), expiresAt },
      ...(request.target === undefined && { code }),
    }
    const isOlder = ({ kind, from, to }: Request) =>
      kind === made.kind &&
      to === undefined &&
      formatTarget(from) === formatTarget(made.from) &&
      from.userId === made.from.userId
    await this.#change((open) => [...open.filter((each) => !isOlder(each)).slice(1 - MAX_REQUESTS), made])
    return made
  }

  /** The newest request that this chat may confirm. */
  find(kind: RequestKind, place: Origin): Request | undefined {
    return this.#open().findLast((each) => each.kind === kind && each.target === formatTarget(place))
  }

  /** The request with this code; `locked` after too many wrong ones in this chat. */
  async findCode(kind: RequestKind, code: string, place: Origin): Promise<Request | 'wrong' | 'locked'> {
    const key = formatTarget(place)
    const now = this.#now()
    const before = this.#state.get().wrong[key]
    const count = before && before.until > now ? before.count : 0
    if (count >= MAX_WRONG) return 'locked'
    const found = this.#open().find((each) => each.kind === kind && each.code === code.toUpperCase())
    if (found) return found
    await this.#state.update((book) => {
      const others = Object.entries(book.wrong).filter(([, { until }]) => until > now)
      const wrong = { ...Object.fromEntries(others), [key]: { count: count + 1, until: now + WRONG_MS } }
      return { ...book, wrong }
    })
    return 'wrong'
  }

  /** From now on it is carried out, also by a later process. */
  async confirm(request: Request, to: Origin, excerpt: string | undefined): Promise<Request> {
    const confirmed = { ...request, to, ...(excerpt !== undefined && { excerpt }) }
    await this.#change((open) => open.map((each) => (each.id === request.id ? confirmed : each)))
    return confirmed
  }

  async end(id: string): Promise<void> {
    await this.#change((open) => open.filter((each) => each.id !== id))
  }

  #open(): readonly Request[] {
    const now = this.#now()
    return this.#state.get().requests.filter(({ to, expiresAt }) => to === undefined && expiresAt > now)
  }

  async #change(change: (requests: readonly Request[]) => readonly Request[]): Promise<void> {
    const now = this.#now()
    await this.#state.update((book) => {
      const fresh = book.requests.filter(({ to, expiresAt }) => to !== undefined || expiresAt > now)
      return { ...book, requests: [...change(fresh)] }
    })
  }

  #now(): number {
    return this.#ctx.use(Clock).now()
  }
}
