/** One connected program: its requests in order, its sessions, its questions. */
import {
  Clock,
  type Conversation,
  type ConversationSettings,
  Conversations,
  logFault,
  type PluginContext,
  Random,
  SvcError,
} from 'svc/sdk'
import { formatIssuePath } from 'svc/sdk/host'
import { waitAtMost } from 'svc/sdk/kit/async'
import { type RpcCaller, type RpcConnection, type RpcMethod, RpcMethods, type RpcTransport } from 'svc/sdk/web'
import { DeltaBuffer } from './delta-buffer.ts'
import { INVALID_PARAMS, INVALID_REQUEST, UNKNOWN_METHOD } from './errors.ts'
import { formatError, formatEvent, formatFailure, formatResult, parseMessage, type Request } from './message.ts'
import { PendingQuestions } from './questions.ts'
import { RpcFront } from './rpc-front.ts'

type Context = PluginContext<undefined>

/** A session that this program has open. */
export interface OpenSession {
  /** The `session_id`: it names the session on this connection only. */
  readonly id: string
  readonly conversation: Conversation
  readonly front: RpcFront
  readonly startedAt: number
}

const MAX_SESSIONS = 64
const MAX_ISSUES = 5
/** Longer than the time limit of a listener of the end of a turn. */
const MAX_SETTLING_MS = 60_000

/** Contract: `RpcConnection` of the SDK. `methods` are those that need the connection itself. */
export class Connection implements RpcConnection, RpcCaller {
  readonly questions: PendingQuestions
  readonly cwd: string
  readonly #ctx: Context
  readonly #transport: RpcTransport
  readonly #own: ReadonlyMap<string, RpcMethod>
  readonly #closing = new AbortController()
  readonly #sessions = new Map<string, OpenSession>()
  readonly #running = new Set<Promise<void>>()
  /** Settles when every request so far that is answered in order has been answered. */
  #last: Promise<void> = Promise.resolve()

  constructor(ctx: Context, transport: RpcTransport, methods: (connection: Connection) => readonly RpcMethod[]) {
    this.#ctx = ctx
    this.#transport = transport
    this.cwd = transport.cwd
    this.questions = new PendingQuestions({ ctx, emit: (type, payload, id) => this.emit(type, payload, id) })
    this.#own = new Map(methods(this).map((method) => [method.name, method]))
  }

  get signal(): AbortSignal {
    return this.#closing.signal
  }

  get sessions(): readonly OpenSession[] {
    return [...this.#sessions.values()]
  }

  /** All that can be called, by name. */
  get methods(): readonly RpcMethod[] {
    return [...this.#own.values(), ...this.#ctx.all(RpcMethods).all()]
  }

  receive(message: string): void {
    for (const request of parseMessage(message))
      if ('answer' in request) this.#send(request.answer)
      else this.#take(request)
  }

  reject(reason: string): void {
    this.#send(formatError(null, INVALID_REQUEST, reason))
  }

  emit(type: string, payload: object, sessionId = ''): void {
    this.#send(formatEvent(type, payload, sessionId))
  }

  session(id: string): OpenSession {
    const found = this.#sessions.get(id)
    if (found) return found
    throw new SvcError(
      'RPC_SESSION_UNKNOWN',
      `This connection has no open session "${id}". Create or resume one first.`,
    )
  }

  conversation(sessionId: string): Conversation {
    return this.session(sessionId).conversation
  }

  /**
   * Waits, but not for ever, until a turn that has told its end to the caller has also ended for its listeners: what the caller
   * does next is not refused as if the turn were still at work.
   */
  async settled({ front }: OpenSession): Promise<void> {
    await waitAtMost(this.#ctx.use(Clock), MAX_SETTLING_MS, front.settled(), { signal: this.signal })
  }

  /** The open session that shows a stored one. */
  find(storedId: string): OpenSession | undefined {
    return this.sessions.find(({ conversation }) => conversation.sessionId === storedId)
  }

  /** Opens a stored session, or a new one. Throws `SESSION_NOT_FOUND` and `RPC_SESSION_LIMIT`. */
  open(options: {
    readonly cwd: string
    readonly sessionId?: string
    readonly settings?: ConversationSettings
  }): OpenSession {
    const open = options.sessionId === undefined ? undefined : this.find(options.sessionId)
    if (open) return open
    if (this.#sessions.size >= MAX_SESSIONS) {
      const text = `There are ${MAX_SESSIONS} open sessions, which is the most. Close one with session.close.`
      throw new SvcError('RPC_SESSION_LIMIT', text)
    }
    const id = this.#ctx.use(Random).hex(4)
    const deltas = new DeltaBuffer(
      () => this.#ctx.use(Clock),
      (type, payload) => this.emit(type, payload, id),
    )
    const front = new RpcFront({ id, questions: this.questions, emit: (type, payload) => deltas.emit(type, payload) })
    const conversation = this.#ctx.use(Conversations).start(front, options)
    const session = { id, conversation, front, startedAt: this.#ctx.use(Clock).now() }
    this.#sessions.set(id, session)
    return session
  }

  async leave(id: string): Promise<void> {
    const { conversation } = this.session(id)
    this.#sessions.delete(id)
    this.questions.drop(id)
    await conversation.close()
  }

  async finish(): Promise<void> {
    await this.#last
    this.questions.end()
    await Promise.all(this.#running)
    await Promise.all(this.sessions.map(({ conversation }) => conversation.idle()))
  }

  async close(): Promise<void> {
    if (this.signal.aborted) return
    this.#closing.abort()
    this.questions.drop()
    const left = this.sessions
    this.#sessions.clear()
    await Promise.all(left.map(({ conversation }) => conversation.close()))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #take(request: Request): void {
    const method = this.#own.get(request.method) ?? this.#ctx.all(RpcMethods).get(request.method)
    if (method?.isSlow) {
      const work = this.#answer(request, method).finally(() => this.#running.delete(work))
      this.#running.add(work)
    } else this.#last = this.#last.then(() => this.#answer(request, method))
  }

  /** Never rejects. */
  async #answer(request: Request, method: RpcMethod | undefined): Promise<void> {
    const { id } = request
    const reply = (text: string) => {
      if (id !== undefined) this.#send(text)
    }
    const answered = id ?? null
    if (!method) {
      const text = `There is no method "${request.method.slice(0, 100)}". rpc.discover lists them.`
      return reply(formatError(answered, UNKNOWN_METHOD, text))
    }
    try {
      const params = method.params
        ? await method.params['~standard'].validate(request.params)
        : { value: request.params }
      if (params.issues) {
        const issues = params.issues.slice(0, MAX_ISSUES).map((issue) => ({
          path: formatIssuePath(issue),
          message: issue.message,
        }))
        const [first] = issues
        const text = `The params of ${method.name} are not valid: ${first?.path || 'params'}: ${first?.message}`
        return reply(formatError(answered, INVALID_PARAMS, text, { issues }))
      }
      reply(formatResult(answered, await method.run(params.value, this)))
    } catch (error) {
      logFault(this.#ctx.log, `the method ${method.name} failed`, error, this.#ctx.all(RpcMethods).owner(method.name))
      reply(formatFailure(answered, error))
    }
  }

  #send(message: string): void {
    if (!this.signal.aborted) this.#transport.send(message)
  }
}
