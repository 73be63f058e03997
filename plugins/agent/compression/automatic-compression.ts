/** Before each request of a turn: is the conversation too long, may it be compressed, and what is said of it. */
import {
  Clock,
  createTranslator,
  errorCode,
  errorMessage,
  type Message,
  type ModelRequestContext,
  Models,
  type PluginContext,
  type Session,
  Sessions,
  SvcError,
  type Translate,
} from 'svc/sdk'
import type { Compressor, Done } from './compressor.ts'
import type { Config } from './config.ts'
import { Gauge } from './size-estimate.ts'
import type { CompressionStore, Past } from './store.ts'
import { computeLimits, type Limits, limitsOfEstimates, totalTokens, UNKNOWN_WINDOW } from './tokens.ts'

/** This many useless ones in a row are enough. */
const MAX_USELESS = 2
const MAX_SESSIONS = 200
/** What may come to a conversation after a compression before anything is estimated again. */
const LEAST_SLACK = 4096
const SLACK_SHARE = 0.05
/** How long after a failure it is tried again. */
const RETRY_AFTER_MS = 30_000
const REST_OF: Readonly<{ [code: string]: number }> = {
  AUXILIARY_MISSING: 600_000,
  BUDGET_EXCEEDED: 600_000,
  AUXILIARY_FAILED: 60_000,
}

/** What is remembered of a session while this process lives. */
interface Watch {
  readonly gauge: Gauge
  /** The turn in which the model refused the messages as too long. */
  overflow?: string
  /** It was said that nothing more is done. */
  saidBlocked?: true
}

interface Attempt {
  readonly session: Session
  /** As the provider counts, and as is estimated here. */
  readonly limits: Limits
  readonly estimates: Limits
  readonly signal: AbortSignal
}

/** Contract: the listener of `BeforeModelRequest`. */
export class Automatic {
  readonly #ctx: PluginContext<Config>
  readonly #store: CompressionStore
  readonly #compressor: Compressor
  readonly #t: Translate
  readonly #watches: Map<string, Watch> = new Map()

  constructor(ctx: PluginContext<Config>, store: CompressionStore, compressor: Compressor) {
    this.#ctx = ctx
    this.#store = store
    this.#compressor = compressor
    this.#t = createTranslator(ctx)
  }

  /** The messages to send when the session was compressed, else undefined. Throws nothing that a turn should end for. */
  async request(
    messages: readonly Message[],
    info: ModelRequestContext,
    signal: AbortSignal,
  ): Promise<readonly Message[] | undefined> {
    const watch = this.#getWatch(info.sessionId)
    const estimate = totalTokens(messages) + info.fixedTokens
    const { turnId, lastInputTokens } = info
    const limits = computeLimits(this.#ctx.use(Models).describe(info), this.#ctx.config)
    const slack = Math.max(LEAST_SLACK, limits.threshold * SLACK_SHARE)
    const { size, counted, effect } = watch.gauge.read({ turnId, estimate, counted: lastInputTokens, slack })
    if (effect !== undefined) this.#judge(info.sessionId, effect, limits)
    if (watch.saidBlocked && counted !== undefined && counted < limits.threshold) this.#release(info.sessionId, watch)
    if (info.overflowed ? watch.overflow === turnId : (size ?? 0) < limits.threshold) return undefined
    info.flush()
    const session = this.#ctx.use(Sessions).open(info.sessionId)
    if (info.overflowed) watch.overflow = turnId
    else if (!this.#isAllowed(session, limits, watch, info)) return undefined
    const ratio = size === undefined ? 1 : estimate / size
    const estimates = limitsOfEstimates(limits, ratio, info.overflowed ? estimate : undefined)
    const done = await this.#run(info, { limits, estimates, session, signal })
    if (!done) return undefined
    const after = session.messages()
    watch.gauge.compressed(totalTokens(after) + info.fixedTokens, lastInputTokens)
    this.#succeeded(done, limits, info)
    return after
  }

  /** Forgets what it knew of a session that a person had compressed. */
  forget(sessionId: string): void {
    this.#watches.delete(sessionId)
  }

  async #run(info: ModelRequestContext, { limits, estimates, session, signal }: Attempt): Promise<Done | undefined> {
    const { sessionId, turnId, fixedTokens } = info
    try {
      return await this.#compressor.run({ sessionId, turnId, fixedTokens, limits: estimates, way: 'by-itself', signal })
    } catch (error) {
      if (!signal.aborted) this.#failed(error, session, limits, info)
      return undefined
    }
  }

  #getWatch(sessionId: string): Watch {
    const known = this.#watches.get(sessionId)
    if (known) return known
    const [oldest] = this.#watches.keys()
    if (oldest !== undefined && this.#watches.size >= MAX_SESSIONS) this.#watches.delete(oldest)
    const watch: Watch = { gauge: new Gauge() }
    this.#watches.set(sessionId, watch)
    return watch
  }

  /** The provider counted the tokens that remain after a compression. */
  #judge(sessionId: string, counted: number, { threshold }: Limits): void {
    const past = this.#store.read(sessionId)
    const ineffective = counted >= threshold ? past.ineffective + 1 : 0
    if (ineffective !== past.ineffective) this.#store.write(sessionId, { ...past, ineffective })
  }

  /** A call fits again, whatever made it. */
  #release(sessionId: string, watch: Watch): void {
    delete watch.saidBlocked
    this.#store.write(sessionId, { ...this.#store.read(sessionId), ineffective: 0, fallbacks: 0 })
  }

  #isAllowed(session: Session, limits: Limits, watch: Watch, info: ModelRequestContext): boolean {
    const past = this.#store.read(session.id)
    if (this.#ctx.use(Clock).now() < past.restUntil) return false
    const isUseless = past.ineffective >= MAX_USELESS || past.fallbacks >= MAX_USELESS
    if (!isUseless) return true
    const isChanged = past.edition !== session.edition() || past.threshold !== limits.threshold
    if (isChanged) {
      this.#store.write(session.id, { ...past, ineffective: 0, fallbacks: 0 })
      return true
    }
    const t = this.#t
    if (!watch.saidBlocked)
      this.#say(
        info,
        t(
          'Compression did not help twice and is off for this conversation. Type /compress to try again, or /new to start over.',
        ),
      )
    watch.saidBlocked = true
    return false
  }

  #succeeded(
    { replacement, summary, isFallback, session }: Done,
    { threshold, isKnown }: Limits,
    info: ModelRequestContext,
  ): void {
    const { tokensBefore, tokensAfter } = replacement
    const past = this.#store.read(session.id)
    const next: Past = {
      edition: session.edition(),
      threshold,
      count: past.count + 1,
      ineffective: past.ineffective,
      fallbacks: isFallback ? past.fallbacks + 1 : 0,
      restUntil: 0,
    }
    this.#store.write(session.id, next)
    const t = this.#t
    const text = summary ?? t('Old results of tools were shortened; nothing else was left out.')
    const fixed = info.fixedTokens
    info.emit({ type: 'compressed', before: tokensBefore + fixed, after: tokensAfter + fixed, text })
    if (isFallback)
      this.#say(
        info,
        t(
          'No model could summarize the removed messages; an extract replaces them. `svc model aux list` shows which models are called.',
        ),
      )
    if (!isKnown && next.count === 1) {
      const known = { model: info.model, count: UNKNOWN_WINDOW }
      this.#say(
        info,
        t(
          'The context window of {model} is unknown; assuming {count} tokens. Set it with `svc config set model.context_length <tokens>`.',
          known,
        ),
      )
    }
    if (next.count === 2)
      this.#say(info, t('This conversation was compressed twice. Each time details are lost: /new begins a fresh one.'))
  }

  #failed(error: unknown, session: Session, { threshold }: Limits, info: ModelRequestContext): void {
    const code = errorCode(error)
    if (code === 'COMPRESSION_NOTHING' || code === 'COMPRESSION_BUSY') {
      this.#ctx.log.info('not compressed', { session: session.id, code })
      return
    }
    const cause = error instanceof SvcError ? errorCode(error.cause) : code
    const past = this.#store.read(session.id)
    const restUntil = this.#ctx.use(Clock).now() + (REST_OF[cause] ?? RETRY_AFTER_MS)
    this.#store.write(session.id, { ...past, edition: session.edition(), threshold, restUntil })
    const t = this.#t
    this.#say(info, t('The conversation could not be compressed. {why}', { why: errorMessage(error) }))
  }

  #say(info: ModelRequestContext, text: string): void {
    info.emit({ type: 'notice', text })
  }
}
