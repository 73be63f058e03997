/** Tasks that run in separate sessions and report their outcome to the conversation that started them. */
import {
  Agent,
  Approvals,
  Clock,
  type Conversation,
  type Dispose,
  errorMessage,
  logFault,
  type PluginContext,
  Sessions,
  type TurnEndReason,
} from 'svc/sdk'
import { type BackgroundTask, BackgroundTaskEnded, BackgroundTaskStarted } from 'svc/sdk/hooks'
import { People } from 'svc/sdk/host'
import type { ApprovalHandler } from 'svc/sdk/safety'

/** A task. */
export interface BackgroundRun {
  /** Counts up in this process. */
  readonly number: number
  readonly task: string
  readonly sessionId: string
  /** That of the conversation when it began. */
  readonly parentSessionId: string
  readonly conversation: Conversation
  readonly startedAt: number
  state: 'running' | Exclude<TurnEndReason, 'crashed'>
  /** The answer, or what went wrong. */
  result: string
}

/** What was begun and is shown at the end. */
type Ended = (run: BackgroundRun) => Promise<void>

const MAX_RUNS = 50
const TITLE_LENGTH = 60

export class BackgroundRuns {
  readonly #ctx: PluginContext<undefined>
  readonly #stops: Map<BackgroundRun, AbortController> = new Map()
  readonly #works: Set<Promise<void>> = new Set()
  #runs: BackgroundRun[] = []
  #count = 0

  constructor(ctx: PluginContext<undefined>) {
    this.#ctx = ctx
  }

  /** Those that a conversation began, oldest first. */
  of(conversation: Conversation): readonly BackgroundRun[] {
    return this.#runs.filter((run) => run.conversation === conversation)
  }

  /** Begins a task with the model of the conversation; `ended` is called once, unless svc stops before. */
  start(conversation: Conversation, task: string, ended: Ended): BackgroundRun {
    const { cwd, front } = conversation
    const title = `⇢ ${[...task.replace(/\s+/g, ' ')].slice(0, TITLE_LENGTH).join('')}`
    const session = this.#ctx.use(Sessions).create({ surface: front.surface, cwd, title })
    const startedAt = this.#ctx.use(Clock).now()
    const run: BackgroundRun = {
      number: ++this.#count,
      task,
      sessionId: session.id,
      parentSessionId: conversation.sessionId,
      conversation,
      startedAt,
      state: 'running',
      result: '',
    }
    this.#runs = [...this.#runs, run].slice(-MAX_RUNS)
    const about = { sessionId: session.id, parentSessionId: run.parentSessionId, task }
    void this.#ctx.call(BackgroundTaskStarted, about)
    const work = this.#work(run, about, ended).finally(() => this.#works.delete(work))
    this.#works.add(work)
    return run
  }

  /** False when it does not run any more. */
  stop(run: BackgroundRun): boolean {
    const stop = this.#stops.get(run)
    stop?.abort(new DOMException('interrupted', 'AbortError'))
    return stop !== undefined
  }

  /** Stops all; each can be resumed later, as any interrupted turn. */
  async close(): Promise<void> {
    for (const run of this.#stops.keys()) this.stop(run)
    await Promise.all(this.#works)
  }

  async #work(run: BackgroundRun, about: BackgroundTask, ended: Ended): Promise<void> {
    const stop = new AbortController()
    this.#stops.set(run, stop)
    const connections = this.#connect(run)
    try {
      await this.#listen(run, stop.signal)
    } catch (error) {
      run.state = stop.signal.aborted ? 'interrupted' : 'failed'
      run.result = errorMessage(error)
      logFault(this.#ctx.log, 'a task in the background failed', error)
    } finally {
      this.#stops.delete(run)
      for (const disconnect of connections) await disconnect()
    }
    if (this.#ctx.signal.aborted) return
    const { state, result } = run
    if (state !== 'running') void this.#ctx.call(BackgroundTaskEnded, { ...about, reason: state, result })
    await ended(run)
  }

  async #listen(run: BackgroundRun, signal: AbortSignal): Promise<void> {
    const { sessionId, task: text, conversation } = run
    const { surface, waits } = conversation.front
    const asked = { sessionId, text, surface, signal, allowDemo: waits, purpose: 'background' } as const
    const request = { ...conversation.settings, ...asked }
    for await (const event of this.#ctx.use(Agent).run(request)) {
      if (event.type === 'message.complete' || event.type === 'error')
        run.result = event.type === 'error' ? event.message : event.text
      if (event.type === 'turn.end') run.state = event.reason === 'crashed' ? 'failed' : event.reason
      if (event.type === 'turn.start' || event.type === 'turn.end') conversation.front.changed('busy')
    }
  }

  /** Its questions are put to the person at the conversation that began it. */
  #connect({ sessionId, conversation }: BackgroundRun): Dispose[] {
    const { front } = conversation
    const { surface } = front
    const name = `${surface} (background)`
    const reaches = (id: string) => id === sessionId && conversation.open
    const ask: ApprovalHandler['ask'] = (...asked) => front.approve?.(...asked) ?? Promise.resolve(undefined)
    const approvals = front.approve && this.#ctx.find(Approvals)?.connect({ name, reaches, ask })
    const questions = this.#ctx.find(People)?.forward(sessionId, () => conversation.sessionId)
    return [approvals, questions].filter((connection) => connection !== undefined)
  }
}
