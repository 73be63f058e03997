/**
 * Streams of the events of all sessions. A stream holds no events, only from where on it has not read a session, and reads them
 * from there: a reader that is late, or never reads, costs no memory and misses nothing.
 */
import { logFault, type PluginContext, Sessions, type TurnEvent } from 'svc/sdk'
import type { TurnEventStream } from 'svc/sdk/hooks'

/** What of a session was not read yet. */
interface Unread {
  /** The last event before it. */
  after: number
  /** It may be shown when this resolves. */
  until: Promise<void> | undefined
}

interface Filter {
  readonly sessionId?: string
  readonly types?: readonly TurnEvent['type'][]
}

export class EventStreams {
  readonly #ctx: PluginContext<unknown>
  readonly #streams: Set<EventStream> = new Set()

  constructor(ctx: PluginContext<unknown>) {
    this.#ctx = ctx
  }

  /** They were recorded. */
  note(events: readonly TurnEvent[], until: Promise<void> | undefined): void {
    if (this.#streams.size === 0) return
    const [first] = events
    if (first) for (const stream of this.#streams) stream.note(first, until)
  }

  /** From now on. */
  open({ signal, ...filter }: Filter & { readonly signal?: AbortSignal }): TurnEventStream {
    const stream = new EventStream(this.#ctx, filter)
    this.#streams.add(stream)
    const close = () => {
      this.#streams.delete(stream)
      signal?.removeEventListener('abort', close)
      stream.close()
    }
    if (signal?.aborted) close()
    else signal?.addEventListener('abort', close, { once: true })
    const events = stream.read()
    return {
      close,
      [Symbol.dispose]: close,
      next: () => events.next(),
      return: async () => {
        close()
        return events.return(undefined)
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }
}

class EventStream {
  readonly #ctx: PluginContext<unknown>
  readonly #filter: Filter
  readonly #types: ReadonlySet<string> | undefined
  readonly #unread: Map<string, Unread> = new Map()
  #isClosed = false
  #wake = () => {}

  constructor(ctx: PluginContext<unknown>, filter: Filter) {
    this.#ctx = ctx
    this.#filter = filter
    this.#types = filter.types && new Set(filter.types)
  }

  note({ sessionId, seq }: TurnEvent, until: Promise<void> | undefined): void {
    if (this.#filter.sessionId !== undefined && this.#filter.sessionId !== sessionId) return
    const unread = this.#unread.get(sessionId)
    if (unread) unread.until = until ?? unread.until
    else this.#unread.set(sessionId, { after: seq - 1, until })
    this.#wake()
  }

  close(): void {
    this.#isClosed = true
    this.#wake()
  }

  async *read(): AsyncGenerator<TurnEvent, undefined> {
    while (!this.#isClosed) {
      const [sessionId] = this.#unread.keys()
      if (sessionId === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        continue
      }
      for (const event of await this.#take(sessionId)) {
        if (this.#isClosed) return undefined
        if (this.#types?.has(event.type) !== false) yield event
      }
    }
    return undefined
  }

  /** What was recorded in a session and may be shown. */
  async #take(sessionId: string): Promise<readonly TurnEvent[]> {
    const { after, until } = this.#unread.get(sessionId) ?? { after: 0, until: undefined }
    try {
      await until
      const session = this.#ctx.use(Sessions).open(sessionId)
      const events = session.events(after)
      // What was noted until now is among them.
      this.#unread.delete(sessionId)
      await session.committed()
      return events
    } catch (error) {
      // The session was removed, or the disk did not take the events: then there is nothing to show.
      this.#unread.delete(sessionId)
      if (!this.#isClosed) logFault(this.#ctx.log, 'events of a session could not be read', error)
      return []
    }
  }
}
