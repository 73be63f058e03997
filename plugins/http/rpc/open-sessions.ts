/**
 * Conversations that programs have open. Several connections may show one session: each gets its events from where it stands, any
 * of them answers its questions, and the conversation ends some time after the last one left.
 */
import {
  Clock,
  type Conversation,
  type ConversationSettings,
  Conversations,
  logFault,
  type PluginContext,
  Random,
  Sessions,
  type TurnEvent,
} from 'svc/sdk'
import { DeltaBuffer } from './delta-buffer.ts'
import { PendingQuestions } from './questions.ts'
import { RpcFront } from './rpc-front.ts'
import { type RpcEvent, TurnSummary, toRpcEvent } from './turn-events.ts'

type Context = PluginContext<undefined>

/** A connection, as an open session sees it. */
export interface Viewer {
  emit(type: string, payload: object, sessionId: string): void
}

/** One viewer, and the last event that it has. */
interface Seat {
  readonly viewer: Viewer
  readonly deltas: DeltaBuffer
  seq: number
}

const MAX_KEYS = 500

/** A conversation that is open in this process. */
export class OpenSession {
  /** The `session_id` of callers. */
  readonly id: string
  readonly startedAt: number
  readonly questions: PendingQuestions
  readonly front: RpcFront
  readonly #ctx: Context
  readonly #seats = new Map<Viewer, Seat>()
  /** Of messages that were taken, the newest last. */
  readonly #keys = new Set<string>()
  #conversation: Conversation | undefined
  #cancelEnd: (() => void) | undefined

  constructor(ctx: Context) {
    this.#ctx = ctx
    this.id = ctx.use(Random).hex(4)
    this.startedAt = ctx.use(Clock).now()
    const emit = (type: string, payload: object) => this.#tell(type, payload)
    this.questions = new PendingQuestions({ ctx, emit })
    this.front = new RpcFront({ id: this.id, questions: this.questions, emit })
  }

  get conversation(): Conversation {
    if (!this.#conversation) throw new Error('the conversation has not begun')
    return this.#conversation
  }

  /** Whether a connection shows it. */
  get isShown(): boolean {
    return this.#seats.size > 0
  }

  begin(options: Parameters<Conversations['start']>[1]): void {
    this.#conversation = this.#ctx.use(Conversations).start(this.front, options)
  }

  /** The place of the newest event in the journal. */
  get cursor(): number {
    return this.#events().at(-1)?.seq ?? 0
  }

  /** The first event of the turn at work. */
  findTurnStart(): TurnEvent | undefined {
    if (!this.conversation.busy) return undefined
    const last = this.#events().findLast(({ type }) => type === 'turn.start' || type === 'turn.end')
    return last?.type === 'turn.start' ? last : undefined
  }

  /** Shows it to a connection, which has all events up to `seq`. Returns what tells it of the later ones and of open questions. */
  show(viewer: Viewer, seq: number): () => void {
    this.#cancelEnd?.()
    const deltas = new DeltaBuffer(
      () => this.#ctx.use(Clock),
      (type, payload) => viewer.emit(type, payload, this.id),
    )
    const seat = { viewer, deltas, seq }
    this.#seats.set(viewer, seat)
    const missed = this.#events(seq)
    // What is recorded before it is shown is told now, and not again then.
    seat.seq = Math.max(seq, missed.at(-1)?.seq ?? 0)
    return () => {
      for (const { type, payload } of this.#replay(missed)) viewer.emit(type, payload, this.id)
      for (const { type, payload } of this.questions.open()) viewer.emit(type, payload, this.id)
    }
  }

  /** A connection shows it no more. The conversation ends `lingerMs` later, when no turn is at work, unless another one does. */
  async leave(viewer: Viewer, lingerMs: number): Promise<boolean> {
    this.#seats.get(viewer)?.deltas.flush()
    this.#seats.delete(viewer)
    if (this.isShown) return false
    if (lingerMs > 0) {
      this.#endLater(lingerMs)
      return false
    }
    await this.end()
    return true
  }

  async end(): Promise<void> {
    this.#cancelEnd?.()
    this.questions.drop()
    await this.#conversation?.close()
  }

  /** Whether a message with this key was taken before, in this process or an earlier one. */
  isKnown(key: string): boolean {
    return (
      this.#keys.has(key) ||
      this.conversation.queue.some((message) => message.key === key) ||
      this.#events().some((event) => event.type === 'turn.start' && event.options?.key === key)
    )
  }

  know(key: string): void {
    this.#keys.add(key)
    const [oldest] = this.#keys.size > MAX_KEYS ? this.#keys : []
    if (oldest !== undefined) this.#keys.delete(oldest)
  }

  /** Called when it has ended without a viewer. */
  onEnd: () => void = () => {}

  #endLater(lingerMs: number): void {
    this.#cancelEnd = this.#ctx.use(Clock).after(
      lingerMs,
      () => {
        if (this.isShown) return
        if (this.conversation.busy) return this.#endLater(lingerMs)
        this.onEnd()
        this.end().catch((error: unknown) => logFault(this.#ctx.log, 'a session could not be closed', error))
      },
      { background: true },
    )
  }

  #tell(type: string, payload: object): void {
    const { seq } = payload as { readonly seq?: number }
    for (const seat of this.#seats.values()) {
      if (seq !== undefined && seq <= seat.seq) continue
      if (seq !== undefined) seat.seq = seq
      seat.deltas.emit(type, payload)
    }
  }

  #events(after = 0): readonly TurnEvent[] {
    return this.#ctx.use(Sessions).open(this.conversation.sessionId).events(after)
  }

  /** Recorded events as they would have been told. */
  *#replay(events: readonly TurnEvent[]): Generator<RpcEvent> {
    const [first] = events
    if (!first) return
    const summary = new TurnSummary()
    if (first.type !== 'turn.start')
      for (const event of this.#events()) if (event.turnId === first.turnId && event.seq < first.seq) summary.add(event)
    for (const event of events) {
      const shown = toRpcEvent(event)
      if (shown) yield shown
      const last = summary.add(event)
      if (last) yield last
    }
  }
}

/** Opens sessions; one that is open already is shared. */
export class OpenSessions {
  readonly #ctx: Context
  readonly #open = new Set<OpenSession>()

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** Throws `SESSION_NOT_FOUND`. */
  open(options: {
    readonly cwd: string
    readonly sessionId?: string
    readonly settings?: ConversationSettings
  }): OpenSession {
    const { sessionId } = options
    const known = [...this.#open].find(({ conversation }) => conversation.sessionId === sessionId && conversation.open)
    if (known) return known
    const session = new OpenSession(this.#ctx)
    session.begin(options)
    session.onEnd = () => this.#open.delete(session)
    this.#open.add(session)
    return session
  }

  async leave(session: OpenSession, viewer: Viewer, lingerMs: number): Promise<void> {
    if (await session.leave(viewer, lingerMs)) this.#open.delete(session)
  }

  /** Ends those that no connection shows. */
  async close(): Promise<void> {
    const left = [...this.#open]
    this.#open.clear()
    await Promise.all(left.map((session) => session.end()))
  }
}
