/** One compression from beginning to end: locked, planned, summed up, checked, and only then committed. */
import { errorMessage, type Message, type PluginContext, Random, type Session, Sessions, SvcError } from 'svc/sdk'
import { BeforeCompaction } from 'svc/sdk/hooks'
import { type CompactionRequest, type Summarizer, Summarizers } from 'svc/sdk/sessions'
import type { Config } from './config.ts'
import { type Cut, cutByExchanges, cutBySize } from './cut.ts'
import { latestTools } from './latest-tools.ts'
import { type Replacement, replaceByClipping, replaceByPruning, replaceBySummary } from './replacement.ts'
import { type CompressionStore, LEASE_MS } from './store.ts'
import { type Limits, textTokens, totalTokens } from './tokens.ts'
import { createExtract } from './transcript.ts'

/** Of the threshold: what is aimed at, so that the next compression is far. */
const TARGET_SHARE = 0.6
/** Shorter texts sum up nothing, least of all much: such is a refusal. In characters, the second for each token. */
const LEAST_TEXT = 40
const LEAST_SHARE = 0.02
const LEAST_OF_MUCH = 200

/** What is to be done. */
export interface Job {
  readonly sessionId: string
  readonly turnId?: string
  readonly limits: Limits
  /** `by-itself`: shortening old results is enough where it makes enough room. */
  readonly way: 'asked-for' | 'by-itself'
  /** Tokens around the conversation. */
  readonly fixedTokens: number
  /** Exchanges at the end that stay. */
  readonly keep?: number
  readonly focus?: string
  readonly signal: AbortSignal
}

/** What was done. */
export interface Done {
  readonly replacement: Replacement
  readonly by: string
  /** Left out where no summary was needed. */
  readonly summary?: string
  readonly isFallback: boolean
  readonly session: Session
}

/** Does one compression of a session at a time, over all processes. */
export class Compressor {
  readonly #ctx: PluginContext<Config>
  readonly #store: CompressionStore

  constructor(ctx: PluginContext<Config>, store: CompressionStore) {
    this.#ctx = ctx
    this.#store = store
  }

  /**
   * Throws `COMPRESSION_NOTHING`, `COMPRESSION_BUSY`, `COMPRESSION_FAILED` (its cause says why) or the signal's reason;
   * nothing was changed then.
   */
  async run(job: Job): Promise<Done> {
    const holder = this.#ctx.use(Random).hex(8)
    if (!this.#store.lock(job.sessionId, holder))
      throw new SvcError('COMPRESSION_BUSY', 'This conversation is being compressed already. Wait a moment.', {
        status: 409,
      })
    const unlock = this.#keepLocked(job.sessionId, holder)
    try {
      await this.#throwIfRefused(job)
      return await this.#compress(job)
    } finally {
      unlock()
    }
  }

  async #throwIfRefused({ sessionId, way, focus, signal }: Job): Promise<void> {
    const trigger = way === 'asked-for' ? 'manual' : 'automatic'
    const about = { sessionId, trigger, signal, ...(focus !== undefined && { focus }) } as const
    const verdict = await this.#ctx.call(BeforeCompaction, about)
    if (verdict?.decision !== 'deny' && verdict?.decision !== 'ask') return
    const { reason = 'no reason was given', by = [] } = verdict
    throw new SvcError('COMPRESSION_REFUSED', `Not compressed: refused by ${by.join(', ')}: ${reason}`, { status: 409 })
  }

  /** The same for messages that are in no session; nothing is stored. */
  async shorten(messages: readonly Message[], job: Job): Promise<Omit<Done, 'session'>> {
    return this.#replace(messages, job)
  }

  /** What it would do; the size of a summary is a guess. Throws `COMPRESSION_NOTHING`. */
  plan(job: Job): { readonly messages: readonly Message[]; readonly cut: Cut } {
    const messages = this.#ctx.use(Sessions).open(job.sessionId).messages()
    return { messages, cut: this.#findCut(messages, job) ?? throwNothing() }
  }

  async #compress(job: Job): Promise<Done> {
    const session = this.#ctx.use(Sessions).open(job.sessionId)
    const edition = session.edition()
    const messages = session.messages()
    const done = await this.#replace(messages, job)
    this.#commit(session, edition, done.replacement, job.signal)
    return { ...done, session }
  }

  async #replace(messages: readonly Message[], job: Job): Promise<Omit<Done, 'session'>> {
    const cut = this.#findCut(messages, job)
    if (job.way === 'asked-for') return this.#bySummary(messages, cut ?? throwNothing(), job)
    const room = job.limits.most - job.fixedTokens
    const pruned = cut && replaceByPruning(messages, cut, latestTools(this.#ctx))
    const isEnough = pruned && pruned.tokensAfter + job.fixedTokens <= job.limits.threshold * TARGET_SHARE
    if (isEnough) return { replacement: pruned, by: 'svc', isFallback: false }
    const done = cut && (await this.#bySummary(messages, cut, job))
    if ((done?.replacement.tokensAfter ?? totalTokens(messages)) <= room) return done ?? throwNothing()
    const replacement = replaceByClipping(messages, done?.replacement, room) ?? throwNothing()
    return { by: 'svc', isFallback: false, ...done, replacement }
  }

  async #bySummary(messages: readonly Message[], cut: Cut, job: Job): Promise<Omit<Done, 'session'>> {
    const { text, by, isFallback } = await this.#summarise(messages, cut, job)
    const replacement = replaceBySummary(messages, cut, text, latestTools(this.#ctx))
    if (replacement.tokensAfter < replacement.tokensBefore) return { replacement, by, summary: text, isFallback }
    throw new SvcError(
      'COMPRESSION_FAILED',
      'The summary and what has to be kept with it are no shorter than what they stand for, so nothing was changed.',
    )
  }

  #findCut(messages: readonly Message[], { keep, limits, way }: Job): Cut | undefined {
    const { protect_first_n: first, protect_last_n: last, target_ratio: ratio } = this.#ctx.config
    // An explicit request wants less than the present size, whatever the threshold.
    const tail = way === 'asked-for' ? Math.min(limits.tail, totalTokens(messages) * ratio) : limits.tail
    const wanted = keep === undefined ? undefined : cutByExchanges(messages, keep)
    return wanted ?? cutBySize(messages, { first, last, tail })
  }

  /** The text of the engine, or an extract where the user wants one rather than none. */
  async #summarise(
    messages: readonly Message[],
    cut: Cut,
    job: Job,
  ): Promise<{ readonly text: string; readonly by: string; readonly isFallback: boolean }> {
    const { sessionId, turnId, focus, signal } = job
    const request: CompactionRequest = {
      sessionId,
      ...(turnId !== undefined && { turnId }),
      messages,
      head: cut.from,
      tail: messages.length - cut.to,
      targetTokens: Math.floor(job.limits.threshold * TARGET_SHARE),
      ...(focus !== undefined && { focus }),
      signal,
    }
    const middle = messages.slice(cut.from, cut.to)
    try {
      const { text, by } = await this.#engine().summarise(request)
      const problem = problemWith(text, middle)
      if (problem === undefined) return { text: text.trim(), by, isFallback: false }
      throw new SvcError('COMPRESSION_FAILED', `${by} ${problem}.`)
    } catch (error) {
      signal.throwIfAborted()
      this.#ctx.log.warn('no summary was written', { session: sessionId, error })
      if (!this.#ctx.config.abort_on_summary_failure)
        return { text: createExtract(middle), by: 'svc', isFallback: true }
      throw new SvcError(
        'COMPRESSION_FAILED',
        `No summary was written, so the conversation stays as it is. ${errorMessage(error)}`,
        { status: 502, cause: error },
      )
    }
  }

  #engine(): Summarizer {
    const { engine: name } = this.#ctx.config
    const engines = this.#ctx.all(Summarizers)
    const engine = engines.get(name)
    if (engine) return engine
    const names = engines.all().map((each) => each.name)
    const advice = `Set compression.engine to one of: ${names.join(', ')}.`
    throw new SvcError('COMPRESSION_FAILED', `There is no engine "${name}" for summaries. ${advice}`)
  }

  /** The replaced messages must not have changed meanwhile; later messages stay after them. */
  #commit(session: Session, edition: number, replacement: Replacement, signal: AbortSignal): void {
    signal.throwIfAborted()
    const { from, to, summary } = replacement
    if (session.edition() !== edition || session.messages().length < to)
      throw new SvcError(
        'COMPRESSION_FAILED',
        'The conversation was changed while it was summed up, so it stays as it is. Try again.',
        { status: 409 },
      )
    session.compress({ from, to, summary })
  }

  /** Renews the lock until the returned function gives it back. A lock that cannot be released expires. */
  #keepLocked(sessionId: string, holder: string): () => void {
    const tried = (what: string, work: () => void) => {
      try {
        work()
      } catch (error) {
        this.#ctx.log.warn(`the lock cannot be ${what}`, { session: sessionId, error })
      }
    }
    const end = this.#ctx.every(LEASE_MS / 3, () => tried('renewed', () => this.#store.lock(sessionId, holder)))
    return () => {
      void end()
      tried('given back', () => this.#store.unlock(sessionId, holder))
    }
  }
}

/** Why a text cannot stand for the messages. */
function problemWith(text: string, middle: readonly Message[]): string | undefined {
  if (typeof text !== 'string' || text.trim() === '') return 'wrote an empty summary'
  const [is, was] = [textTokens(text), totalTokens(middle)]
  const least = Math.max(LEAST_TEXT, Math.min(was * LEAST_SHARE, LEAST_OF_MUCH))
  if (text.trim().length < least) return `wrote only "${text.trim()}"`
  return is >= was ? `wrote a summary of about ${is} tokens for ${was}` : undefined
}

function throwNothing(): never {
  const text = 'There is too little to leave out: a summary would take as much room as what it stands for.'
  throw new SvcError('COMPRESSION_NOTHING', text, { status: 409 })
}
