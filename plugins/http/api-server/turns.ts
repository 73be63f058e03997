/** Runs turns for requests: as many at a time as allowed, and each ends when no client waits for it any more. */
import { Agent, type ImageContent, Models, type PluginContext, SvcError, type TurnEvent, type Usage } from 'svc/sdk'
import { Gateway } from 'svc/sdk/platform'
import type { TurnSettings } from 'svc/sdk/sessions'
import { answerOnly } from './answer-only.ts'
import type { ClientQuestions } from './client-questions.ts'
import type { Config } from './config.ts'

/** What is asked of the agent. */
export interface TurnInput {
  readonly text: string
  readonly images?: readonly ImageContent[]
  readonly settings: TurnSettings
  readonly key?: string
  readonly whenBusy?: 'queue'
  /** The session key of a client that can answer questions; left out: no person is asked. */
  readonly answeredBy?: string | undefined
  readonly signal: AbortSignal
}

/** The session that a turn is to begin in. */
export interface Chosen {
  readonly id: string
  /** Called when the turn has begun. */
  readonly begun?: () => void
}

/** A turn under way. Its events have to be read to the end, or left. */
export interface Begun {
  readonly sessionId: string
  readonly turnId: string
  readonly events: AsyncIterable<TurnEvent>
}

/** The model behind a name that a client gave; nothing for a name that is only echoed. */
export function routeTo(
  { model_routes: routes }: Config,
  name: string | undefined,
): Pick<TurnSettings, 'provider' | 'model'> {
  const route = name !== undefined && Object.hasOwn(routes, name) ? routes[name] : undefined
  return { ...(route && { model: route.model }), ...(route?.provider && { provider: route.provider }) }
}

export class Turns {
  readonly #ctx: PluginContext<Config>
  readonly #questions: ClientQuestions
  #running = 0

  constructor(ctx: PluginContext<Config>, questions: ClientQuestions) {
    this.#ctx = ctx
    this.#questions = questions
  }

  /** Turns under way. */
  get running(): number {
    return this.#running
  }

  /**
   * Throws `MODEL_UNAVAILABLE`, `MODEL_NOT_CHOSEN` or `MODEL_PROVIDER_UNKNOWN` before a session is chosen or made. The scripted
   * demo answers a program only where the config names it: its text would be taken for a model's.
   */
  async requireModel({ provider, model }: TurnSettings): Promise<void> {
    const wanted = { ...(provider !== undefined && { provider }), ...(model !== undefined && { model }) }
    await this.#ctx.use(Models).choose({ ...wanted, withoutDemo: true })
  }

  /** Takes a place; the returned function gives it back, once. Throws what is answered with 429 or 503. */
  enter(): () => void {
    const most = this.#ctx.config.max_concurrent_runs
    if (this.#ctx.find(Gateway)?.isDraining)
      throw new SvcError('API_GATEWAY_DRAINING', 'The gateway is being stopped. Try again when it runs.', {
        status: 503,
      })
    if (most > 0 && this.#running >= most)
      throw new SvcError(
        'API_RATE_LIMIT_EXCEEDED',
        `${most} turns are under way, as many as allowed. Try again soon.`,
        {
          status: 429,
        },
      )
    this.#running++
    let isIn = true
    return () => {
      if (isIn) this.#running--
      isIn = false
    }
  }

  /**
   * Begins a turn; rejects when it cannot begin. The session is chosen, or created, when there is a slot: a request
   * that is refused leaves nothing behind. Nothing is waited for between the two, so a session is not chosen twice.
   */
  async begin(input: TurnInput, choose: () => Chosen): Promise<Begun> {
    await this.requireModel(input.settings)
    const release = this.enter()
    let chosen: Chosen
    try {
      chosen = choose()
    } catch (error) {
      release()
      throw error
    }
    const own = this.stream(chosen.id, input)
    const { answeredBy: scope } = input
    const events = scope === undefined ? own : this.#questions.withQuestions({ sessionId: chosen.id, scope }, own)
    // A body that is never read is not closed either: then the signal reports it.
    const leave = () => {
      release()
      void events.return(undefined).catch(() => {})
    }
    input.signal.addEventListener('abort', leave, { once: true })
    if (input.signal.aborted) leave()
    let isBegun = false
    // What is asked before it begins may still keep it from beginning.
    const note = (event: TurnEvent) => {
      if (isBegun || event.type === 'clarify.request' || event.type === 'approval.request') return
      isBegun = true
      chosen.begun?.()
    }
    const rest = async function* (first: IteratorResult<TurnEvent>) {
      try {
        for (let next = first; !next.done; next = await events.next()) {
          note(next.value)
          yield next.value
        }
      } finally {
        input.signal.removeEventListener('abort', leave)
        leave()
      }
    }
    try {
      const first = await events.next()
      if (!first.done) note(first.value)
      return { sessionId: chosen.id, turnId: first.done ? '' : first.value.turnId, events: rest(first) }
    } catch (error) {
      input.signal.removeEventListener('abort', leave)
      leave()
      throw error
    }
  }

  /** The events of a turn that has a place. */
  stream(sessionId: string, { text, images, settings, key, whenBusy, signal }: TurnInput): AsyncGenerator<TurnEvent> {
    const events = this.#ctx.use(Agent).run({
      ...settings,
      sessionId,
      text,
      surface: 'api',
      signal,
      ...(images?.length && { images }),
      ...(key !== undefined && { key }),
      ...(whenBusy && { whenBusy }),
    })
    return settings.format ? answerOnly(events) : (events[Symbol.asyncIterator]() as AsyncGenerator<TurnEvent>)
  }
}

/** Usage as responses, runs and sessions say it. */
export function formatTokenCounts({ input = 0, output = 0 }: Usage): object {
  return { input_tokens: input, output_tokens: output, total_tokens: input + output }
}
