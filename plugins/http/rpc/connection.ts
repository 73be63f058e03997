/** One connected program: its requests in order, its sessions, its questions. */
import { Clock, type Conversation, type ConversationSettings, logFault, type PluginContext, SvcError } from 'svc/sdk'
import { formatIssuePath } from 'svc/sdk/host'
import { waitAtMost } from 'svc/sdk/kit/async'
import { Gateway } from 'svc/sdk/platform'
import { type RpcCaller, type RpcConnection, type RpcMethod, RpcMethods, type RpcTransport } from 'svc/sdk/web'
import { INVALID_PARAMS, INVALID_REQUEST, UNKNOWN_METHOD } from './errors.ts'
import { formatError, formatEvent, formatFailure, formatResult, parseMessage, type Request } from './message.ts'
import type { OpenSession, OpenSessions, Viewer } from './open-sessions.ts'
import type { PendingQuestions } from './questions.ts'

type Context = PluginContext<undefined>

const MAX_SESSIONS = 64
const MAX_ISSUES = 5
/** Longer than the time limit of a listener of the end of a turn. */
const MAX_SETTLING_MS = 60_000

/** Contract: `RpcConnection` of the SDK. `methods` are those that need the connection itself. */
export class Connection implements RpcConnection, RpcCaller, Viewer {
  readonly cwd: string
  readonly #ctx: Context
  readonly #transport: RpcTransport
  readonly #own: ReadonlyMap<string, RpcMethod>
  readonly #closing = new AbortController()
  readonly #all: OpenSessions
  readonly #sessions = new Map<string, OpenSession>()
  /** Done as soon as the request at work is answered. */
  readonly #afterReply: (() => Promise<void>)[] = []
  readonly #running = new Set<Promise<void>>()
  /** Settles when every request so far that is answered in order has been answered. */
  #last: Promise<void> = Promise.resolve()

  constructor(
    ctx: Context,
    transport: RpcTransport,
    all: OpenSessions,
    methods: (connection: Connection) => readonly RpcMethod[],
  ) {
    this.#ctx = ctx
    this.#all = all
    this.#transport = transport
    this.cwd = transport.cwd
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

  /** Throws `RPC_DRAINING` while this process begins no turns; a running one takes more. */
  requireTurns({ busy }: Pick<Conversation, 'busy'>): void {
    if (busy || !this.#ctx.find(Gateway)?.isDraining) return
    throw new SvcError('RPC_DRAINING', 'The gateway begins no turns for now. Send the message again when it does.')
  }

  receive(message: string): void {
    for (const request of parseMessage(message))
      if ('answer' in request) this.send(request.answer)
      else this.#take(request)
  }

  reject(reason: string): void {
    this.send(formatError(null, INVALID_REQUEST, reason))
  }

  emit(type: string, payload: object, sessionId = ''): void {
    this.send(formatEvent(type, payload, sessionId))
  }

  send(message: string): void {
    if (!this.signal.aborted) this.#transport.send(message)
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

  /** The questions among which one with this id waits. Throws `RPC_NOT_PENDING`. */
  questions(id: string): PendingQuestions {
    const found = this.sessions.find(({ questions }) => questions.has(id))
    if (found) return found.questions
    throw new SvcError('RPC_NOT_PENDING', `No question "${id}" waits for an answer.`)
  }

  /**
   * Opens a stored session, or a new one. `after` is the last event that the caller has: the later ones are told once the request
   * is answered, if they can be. Otherwise only what the turn at work has done so far. Throws `SESSION_NOT_FOUND` and
   * `RPC_SESSION_LIMIT`.
   */
  open(options: {
    readonly cwd: string
    readonly sessionId?: string
    readonly settings?: ConversationSettings
    readonly after?: number
  }): OpenSession {
    const { after, ...wanted } = options
    const open = options.sessionId === undefined ? undefined : this.find(options.sessionId)
    if (open) {
      if (after !== undefined) this.#afterReply.push(open.show(this, open.canResume(after) ? after : open.shownUpTo))
      return open
    }
    if (this.#sessions.size >= MAX_SESSIONS) {
      const text = `There are ${MAX_SESSIONS} open sessions, which is the most. Close one with session.close.`
      throw new SvcError('RPC_SESSION_LIMIT', text)
    }
    const session = this.#all.open(wanted)
    const isKnown = after !== undefined && session.canResume(after)
    this.#sessions.set(session.id, session)
    this.#afterReply.push(session.show(this, isKnown ? after : session.shownUpTo))
    return session
  }

  async leave(id: string): Promise<void> {
    const session = this.session(id)
    this.#sessions.delete(id)
    await this.#all.leave(session, this, 0)
  }

  async finish(): Promise<void> {
    await this.#last
    for (const { questions } of this.sessions) questions.end()
    await Promise.all(this.#running)
    await Promise.all(this.sessions.map(({ conversation }) => conversation.idle()))
  }

  async close(): Promise<void> {
    if (this.signal.aborted) return
    this.#closing.abort()
    const left = this.sessions
    this.#sessions.clear()
    await Promise.all(left.map((session) => this.#all.leave(session, this, this.#transport.lingerMs ?? 0)))
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
      if (id !== undefined) this.send(text)
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
      return reply(formatFailure(answered, error))
    }
    for (const work of this.#afterReply.splice(0)) await work()
  }
}
