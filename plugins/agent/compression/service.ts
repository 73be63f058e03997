/** The service `compression`: a person asks for it, so cooldowns and what failed before do not count. */
import { type Message, Models, type PluginContext } from 'svc/sdk'
import type { Compaction, CompactionOptions, CompactionResult } from 'svc/sdk/sessions'
import type { Compressor, Job } from './compressor.ts'
import type { Config } from './config.ts'
import { latestTools } from './latest-tools.ts'
import { replaceBySummary } from './replacement.ts'
import type { CompressionStore } from './store.ts'
import { computeLimits, type Limits, summaryTokens, totalTokens } from './tokens.ts'

/** Which model the conversation is held with, where that is known. */
interface ModelChoiceInput {
  readonly provider?: string | undefined
  readonly model?: string | undefined
}

/** Stands in for what a summary may have, in characters. */
const GUESS = '.'

export class CompressionService implements Omit<Compaction, 'tokens'> {
  readonly #ctx: PluginContext<Config>
  readonly #store: CompressionStore
  readonly #compressor: Compressor

  constructor(ctx: PluginContext<Config>, store: CompressionStore, compressor: Compressor) {
    this.#ctx = ctx
    this.#store = store
    this.#compressor = compressor
  }

  async compress(
    sessionId: string,
    options: CompactionOptions = {},
    choice: ModelChoiceInput = {},
  ): Promise<CompactionResult> {
    const { focus, keep, preview } = options
    const signal = AbortSignal.any([this.#ctx.signal, ...(options.signal ? [options.signal] : [])])
    const limits = await this.#limits(choice)
    const job: Job = {
      sessionId,
      limits,
      way: 'asked-for',
      fixedTokens: 0,
      signal,
      ...(keep !== undefined && { keep }),
      ...(focus !== undefined && { focus }),
    }
    if (preview) return this.#preview(job)
    const { replacement, by, summary, session } = await this.#compressor.run(job)
    const { count } = this.#store.read(sessionId)
    const fresh = { ineffective: 0, fallbacks: 0, restUntil: 0 }
    this.#store.write(sessionId, {
      ...fresh,
      edition: session.edition(),
      threshold: limits.threshold,
      count: count + 1,
    })
    const { tokensBefore, tokensAfter, messages, from, to } = replacement
    return {
      messagesBefore: messages.length - replacement.summary.length + (to - from),
      messagesAfter: messages.length,
      tokensBefore,
      tokensAfter,
      by,
      ...(summary !== undefined && { summary }),
    }
  }

  async shorten(
    given: readonly Message[],
    { focus, signal, spender }: Parameters<Compaction['shorten']>[1],
  ): Promise<{ readonly messages: readonly Message[]; readonly by: string }> {
    const job: Job = {
      sessionId: spender,
      limits: await this.#limits({}),
      way: 'asked-for',
      fixedTokens: 0,
      signal: AbortSignal.any([this.#ctx.signal, ...(signal ? [signal] : [])]),
      ...(focus !== undefined && { focus }),
    }
    const { replacement, by } = await this.#compressor.shorten(given, job)
    return { messages: replacement.messages, by }
  }

  #preview(job: Job): CompactionResult {
    const { messages, cut } = this.#compressor.plan(job)
    const middle = totalTokens(messages.slice(cut.from, cut.to))
    const most = Math.min(summaryTokens(middle, job.limits.threshold), middle / 2)
    const guess = GUESS.repeat(Math.floor(most * 4))
    const {
      tokensBefore,
      tokensAfter,
      messages: after,
    } = replaceBySummary(messages, cut, guess, latestTools(this.#ctx))
    return { messagesBefore: messages.length, messagesAfter: after.length, tokensBefore, tokensAfter }
  }

  /** Those of the model that would answer now; without one, those of an unknown model. */
  async #limits({ provider, model }: ModelChoiceInput): Promise<Limits> {
    const models = this.#ctx.use(Models)
    try {
      const wanted = { ...(provider && { provider }), ...(model && { model }) }
      const choice = await models.choose(wanted)
      return computeLimits(models.describe({ provider: choice.provider.name, model: choice.model }), this.#ctx.config)
    } catch (error) {
      this.#ctx.log.info('the window of the model is not known', { error })
      return computeLimits({}, this.#ctx.config)
    }
  }
}
