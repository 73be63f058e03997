/**
 * Runs: turns that continue without a client. Their events are in the journal of the session, so a run can be followed
 * from any position by any number of readers, and is resumed after a crash.
 */
import {
  Agent,
  Clock,
  errorMessage,
  type ImageContent,
  logFault,
  type PluginContext,
  Random,
  Sessions,
  SvcError,
  type TurnEvent,
  TurnOutcome,
  type Usage,
} from 'svc/sdk'
import type { TurnSettings } from 'svc/sdk/sessions'
import { AnswerOnly, answerOnly } from './answer-only.ts'
import type { ClientQuestions } from './client-questions.ts'
import type { Config } from './config.ts'
import type { ApiStore } from './store.ts'
import type { Turns } from './turns.ts'

export type RunStatus =
  | 'queued'
  | 'running'
  | 'waiting_for_approval'
  | 'stopping'
  | 'completed'
  | 'failed'
  | 'cancelled'

/** What is kept of a run. */
export interface Run {
  readonly id: string
  readonly scope: string
  readonly sessionId: string
  readonly model: string
  readonly text: string
  readonly images: readonly ImageContent[]
  readonly settings: TurnSettings
  readonly createdAt: number
  updatedAt: number
  status: RunStatus
  /** The last event of the session before it. */
  readonly after: number
  turnId?: string
  lastEvent?: string
  output?: string
  usage?: Usage
  error?: string
}

/** What is at work in this process. */
interface Live {
  readonly run: Run
  readonly stop: AbortController
  changed: Promise<void>
  change: () => void
  ended: Promise<void>
}

const KEPT_MS = 3_600_000
const over: ReadonlySet<RunStatus> = new Set(['completed', 'failed', 'cancelled'])

/** Runs of earlier versions have the form of their answer beside the text. */
function parseRun(data: string): Run {
  const { format, ...run } = JSON.parse(data) as Run & Pick<TurnSettings, 'format'>
  return { ...run, settings: run.settings ?? { ...(format && { format }) } }
}

export function isOver({ status }: Run): boolean {
  return over.has(status)
}

export class Runs {
  readonly #ctx: PluginContext<Config>
  readonly #store: ApiStore
  readonly #turns: Turns
  readonly #questions: ClientQuestions
  readonly #live: Map<string, Live> = new Map()

  constructor(ctx: PluginContext<Config>, store: ApiStore, turns: Turns, questions: ClientQuestions) {
    this.#ctx = ctx
    this.#store = store
    this.#turns = turns
    this.#questions = questions
  }

  /** Resumes what a crash left. */
  start(): void {
    for (const data of this.#store.openRuns()) this.#begin(parseRun(data), () => {})
  }

  /** Begins a run in the session that is chosen when there is a place; throws what is answered with 429 or 503. */
  create(wanted: Pick<Run, 'scope' | 'model' | 'text' | 'images' | 'settings'>, choose: () => string): Run {
    const release = this.#turns.enter()
    try {
      const sessionId = choose()
      const now = this.#ctx.use(Clock).now()
      const after = this.#ctx.use(Sessions).open(sessionId).events().at(-1)?.seq ?? 0
      const id = `run_${this.#ctx.use(Random).hex(16)}`
      const run: Run = { ...wanted, sessionId, id, createdAt: now, updatedAt: now, status: 'queued', after }
      this.#keep(run)
      this.#begin(run, release)
      return run
    } catch (error) {
      release()
      throw error
    }
  }

  /** How many are at work or wait for their turn. */
  get active(): number {
    return this.#live.size
  }

  /** Resolves when no run is at work any more. */
  async settled(): Promise<void> {
    await Promise.all([...this.#live.values()].map(({ ended }) => ended))
  }

  /** Throws `API_RUN_NOT_FOUND`. */
  find(id: string, scope: string): Run {
    const live = this.#live.get(id)?.run
    const data = live ? undefined : this.#store.run(id)
    const run = live ?? (data === undefined ? undefined : parseRun(data))
    if (run && run.scope === scope) return run
    throw new SvcError('API_RUN_NOT_FOUND', `There is no run "${id.slice(0, 100)}".`, { status: 404 })
  }

  /** Ends the turn; what was shown is kept. False when it is over. */
  stop(run: Run): boolean {
    const live = this.#live.get(run.id)
    if (!live) return false
    this.#note(live, { status: 'stopping' })
    live.stop.abort()
    return true
  }

  /** Events of its turn after this one: those on disk, then those to come. Ends when the run is over. */
  follow(run: Run, signal: AbortSignal): AsyncGenerator<TurnEvent> {
    const events = this.#follow(run, signal)
    return run.settings.format ? answerOnly(events) : events
  }

  async *#follow(run: Run, signal: AbortSignal): AsyncGenerator<TurnEvent> {
    const session = this.#ctx.use(Sessions).open(run.sessionId)
    for (let last = run.after; !signal.aborted; ) {
      const live = this.#live.get(run.id)
      const changed = live?.changed
      // Before its turn is known, those of others would be passed over together with its own.
      const events = run.turnId === undefined ? [] : session.events(last)
      last = events.at(-1)?.seq ?? last
      yield* events.filter(({ turnId }) => turnId === run.turnId)
      if (!live) return
      if (events.length === 0) await changedOrLeft(changed, signal)
    }
  }

  #begin(run: Run, release: () => void): void {
    const live: Live = {
      run,
      stop: new AbortController(),
      changed: Promise.resolve(),
      change() {},
      ended: Promise.resolve(),
    }
    renew(live)
    this.#live.set(run.id, live)
    // Its client reads what is asked in the journal.
    const withdraw = this.#questions.add(run)
    live.ended = this.#work(live)
      .catch((error: unknown) => {
        logFault(this.#ctx.log, `the run ${run.id} failed`, error)
        return this.#note(live, { status: 'failed', error: errorMessage(error) })
      })
      .catch((error: unknown) => this.#ctx.log.error('a run could not be ended', { run: run.id, error }))
      .finally(() => {
        void withdraw()
        release()
        this.#live.delete(run.id)
        live.change()
      })
  }

  async #work(live: Live): Promise<void> {
    const { run } = live
    const outcome = new TurnOutcome()
    const answer = run.settings.format && new AnswerOnly()
    const take = (event: TurnEvent) => {
      for (const shown of answer?.take(event) ?? [event]) outcome.take(shown)
    }
    for (const event of this.#left(run)) take(event)
    if (outcome.reason === undefined)
      for await (const event of this.#stream(live)) {
        take(event)
        this.#watch(live, event)
      }
    const { text, usage, error, reason } = outcome
    const isStopped = reason === 'interrupted' && live.run.status === 'stopping'
    const status = isStopped
      ? 'cancelled'
      : reason === 'completed' || reason === 'max-iterations'
        ? 'completed'
        : 'failed'
    const problem = error?.message ?? (status === 'failed' ? 'The turn was interrupted.' : undefined)
    this.#note(live, { status, output: text, usage, ...(problem !== undefined && { error: problem }) })
  }

  /** What a crash left of its turn. */
  #left(run: Run): readonly TurnEvent[] {
    const events = this.#ctx.use(Sessions).open(run.sessionId).events(run.after)
    const begun = events.find((event) => event.type === 'turn.start' && event.options?.key === run.id)
    if (!begun) return []
    run.turnId = begun.turnId
    return events.filter(({ turnId }) => turnId === begun.turnId)
  }

  #stream({ run, stop }: Live): AsyncIterable<TurnEvent> {
    const signal = AbortSignal.any([stop.signal, this.#ctx.signal])
    if (run.turnId !== undefined) return this.#ctx.use(Agent).resume(run.sessionId, { signal })
    const { sessionId, text, images, settings, id: key } = run
    return this.#turns.stream(sessionId, { text, images, settings, key, signal, whenBusy: 'queue' })
  }

  #watch(live: Live, event: TurnEvent): void {
    const { run } = live
    const isStopping = run.status === 'stopping'
    if (run.turnId === undefined) this.#note(live, { turnId: event.turnId, ...(!isStopping && { status: 'running' }) })
    else if (event.type === 'approval.request' && !isStopping) this.#note(live, { status: 'waiting_for_approval' })
    else if (event.type === 'approval.answer' && !isStopping) this.#note(live, { status: 'running' })
    run.lastEvent = event.type
    renew(live)
  }

  #note(live: Live, changes: Partial<Run>): void {
    Object.assign(live.run, changes, { updatedAt: this.#ctx.use(Clock).now() })
    this.#keep(live.run)
    renew(live)
  }

  #keep(run: Run): void {
    const now = this.#ctx.use(Clock).now()
    const row = { id: run.id, isOver: isOver(run), data: JSON.stringify(run) }
    this.#store.putRun(row, { now, oldest: now - KEPT_MS })
  }
}

/** Wakes who waits for a change. */
function renew(live: Live): void {
  live.change()
  live.changed = new Promise((resolve) => {
    live.change = resolve
  })
}

/** Leaves nothing at the signal: a reader of a long run waits many thousand times. */
function changedOrLeft(changed: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
    void changed?.then(done)
  })
}
