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
import { formatEvent } from './message.ts'
import { PendingQuestions } from './questions.ts'
import { RpcFront } from './rpc-front.ts'
import { TakenKeys } from './taken-keys.ts'
import { type RpcEvent, TurnSummary, toRpcEvent } from './turn-events.ts'

type Context = PluginContext<undefined>

/** A connection, as an open session sees it. */
export interface Viewer {
  /** A message as it is sent. */
  send(message: string): void
}

/** One viewer, and the last event that it has or will have when `held` is sent. */
interface Seat {
  readonly viewer: Viewer
  seq: number
  /** What happens until it has been told of what it missed. */
  held: string[] | undefined
}

/** A conversation that is open in this process. */
export class OpenSession {
  /** The `session_id` of callers. */
  readonly id: string
  readonly startedAt: number
  readonly questions: PendingQuestions
  readonly front: RpcFront
  readonly #ctx: Context
  readonly keys: TakenKeys
  readonly #seats = new Map<Viewer, Seat>()
  readonly #deltas: DeltaBuffer
  /** Places up to which a seat has events that are not shown yet: no text may be joined across them. */
  readonly #joints = new Set<number>()
  #conversation: Conversation | undefined
  #cancelEnd: (() => void) | undefined

  constructor(ctx: Context) {
    this.#ctx = ctx
    this.id = ctx.use(Random).hex(4)
    this.startedAt = ctx.use(Clock).now()
    const emit = (type: string, payload: object) => this.#tell(type, payload)
    this.keys = new TakenKeys({ ctx, conversation: () => this.conversation })
    this.#deltas = new DeltaBuffer(
      () => ctx.use(Clock),
      (type, payload) => this.#send(type, payload),
      () => this.#seats.size,
    )
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

  /**
   * Whether all that happened after an event can still be told one by one: the texts of a turn are dropped when the next one
   * begins, so all of it has to be of the newest turn.
   */
  canResume(seq: number): boolean {
    const events = this.#events()
    const newest = events.findLast(({ type }) => type === 'turn.start')
    return seq <= this.cursor && events.every((event) => event.seq <= seq || event.turnId === newest?.turnId)
  }

  /** Why the last turn failed; undefined while a turn is at work. */
  findFailure(): { readonly code: string; readonly message: string } | undefined {
    if (this.conversation.busy) return undefined
    const last = this.#events().findLast(({ type }) => type === 'turn.start' || type === 'error')
    return last?.type === 'error' ? { code: last.code, message: last.message } : undefined
  }

  /** The place up to which the messages of the session are complete: events after it belong to the turn at work. */
  get shownUpTo(): number {
    const started = this.findTurnStart()
    return started ? started.seq - 1 : this.cursor
  }

  /** Shows it to a connection, which has all events up to `seq`. Returns what tells it of the later ones and of open questions. */
  show(viewer: Viewer, seq: number): () => Promise<void> {
    this.#cancelEnd?.()
    this.#deltas.flush()
    const missed = this.#events(seq)
    // What is recorded before it is shown is told now, and not again then.
    const seat: Seat = { viewer, seq: missed.at(-1)?.seq ?? seq, held: [] }
    this.#joints.add(seat.seq)
    this.#seats.set(viewer, seat)
    return async () => {
      const isKept = await this.#committed()
      // Another request of the connection, or its end, came in between.
      if (this.#seats.get(viewer) !== seat) return
      const send = ({ type, payload }: RpcEvent) => viewer.send(formatEvent(type, payload, this.id))
      if (isKept) for (const event of this.#replay(missed)) send(event)
      for (const message of seat.held?.splice(0) ?? []) viewer.send(message)
      for (const question of this.questions.open()) send(question)
      seat.held = undefined
    }
  }

  /** A connection shows it no more. The conversation ends `lingerMs` later, when no turn is at work, unless another one does. */
  async leave(viewer: Viewer, lingerMs: number): Promise<boolean> {
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
    for (const joint of this.#joints) {
      if (seq === undefined || seq <= joint) continue
      this.#deltas.flush()
      this.#joints.delete(joint)
    }
    if (type === 'message.complete') this.keys.endTurn()
    this.#deltas.emit(type, payload)
  }

  /** To all that do not have it, as one text. */
  #send(type: string, payload: object): void {
    const { seq } = payload as { readonly seq?: number }
    let message: string | undefined
    for (const seat of this.#seats.values()) {
      if (seq !== undefined && seq <= seat.seq) continue
      if (seq !== undefined) seat.seq = seq
      message ??= formatEvent(type, payload, this.id)
      if (!seat.held) seat.viewer.send(message)
      // Open questions are told at the end of it.
      else if (!type.endsWith('.request')) seat.held.push(message)
    }
  }

  /** Whether what was recorded so far outlives a crash: only then may it be told. */
  async #committed(): Promise<boolean> {
    try {
      await this.#ctx.use(Sessions).open(this.conversation.sessionId).committed()
      return true
    } catch (error) {
      logFault(this.#ctx.log, 'the events of a session could not be stored', error)
      return false
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
