/** The engine `summary`: the model of the slot `compression` summarizes the removed messages. */
import { AuxiliaryModels, errorCode, errorMessage, Models, type PluginContext, Secrets, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import type { AuxiliaryResult, AuxiliarySlotInfo } from 'svc/sdk/provider'
import type { CompactionRequest, Summarizer } from 'svc/sdk/sessions'
import { isConversationSummary } from 'svc/sdk/sessions'
import type { Config } from './config.ts'
import { isRequest } from './cut.ts'
import { orderMessages } from './instructions.ts'
import { splitFacts } from './kept-facts.ts'
import { isBridge, summaryBody } from './summary-message.ts'
import { askEndpoint } from './summary-server.ts'
import { summaryTokens, totalTokens } from './tokens.ts'
import { formatTranscript, unending } from './transcript.ts'

const SLOT = 'compression'
/** Of its window, what the model that sums up is given; a token of code has less than four characters. */
const WINDOW_SHARE = 0.6
const CHARACTERS_A_TOKEN = 3

/** Writes summaries with the models of this installation. */
export class SummaryEngine implements Summarizer {
  readonly name: string = 'summary'
  readonly #ctx: PluginContext<Config>

  constructor(ctx: PluginContext<Config>) {
    this.#ctx = ctx
  }

  /** Rejects with what the models said, `AUXILIARY_MISSING`, `BUDGET_EXCEEDED` or the signal's reason. */
  async summarise(request: CompactionRequest): Promise<{ readonly text: string; readonly by: string }> {
    const auxiliary = await this.#ctx.use(Plugins).bring(AuxiliaryModels)
    const slot = auxiliary?.slots().find((each) => each.slot === SLOT)
    const messages = this.#createOrder(request, slot)
    const { sessionId, turnId, signal } = request
    const whose = { sessionId, ...(turnId !== undefined && { turnId }) }
    const own = await this.#askOwn(messages, slot, request)
    const answer = typeof own === 'object' ? own : await auxiliary?.ask({ slot: SLOT, messages, signal, ...whose })
    if (!answer)
      throw new SvcError('COMPRESSION_FAILED', 'The plugin auxiliary is off: no model can be called for a summary.')
    const why = typeof own === 'string' ? `, because compression.summary_base_url failed: ${own}` : ''
    const text = answer.text.replace(/<think>[\s\S]*?<\/think>/g, '').trim()
    return { text: this.#ctx.use(Secrets).mask(text), by: `${answer.model} (${answer.provider})${why}` }
  }

  #createOrder({ messages, head, tail, targetTokens, focus }: CompactionRequest, slot: AuxiliarySlotInfo | undefined) {
    const middle = messages.slice(head, messages.length - tail)
    const material = middle.filter((message) => !isConversationSummary(message) && !isBridge(message))
    const earlier = middle.flatMap((message) => summaryBody(message) ?? []).map((body) => splitFacts(body).text)
    const quoted = (text: string) => unending(this.#ctx.use(Secrets).mask(text))
    return orderMessages({
      transcript: quoted(formatTranscript(material, this.#room(slot, targetTokens))),
      earlier: earlier.length === 0 ? undefined : quoted(earlier.join('\n\n')),
      focus: focus === undefined ? undefined : quoted(focus),
      recent: messages.filter(isRequest).map(({ text }) => quoted(text)),
      most: summaryTokens(totalTokens(middle), targetTokens),
    })
  }

  /** Characters that the model reads. Where it is that of the chat, the target is well below what it reads. */
  #room(slot: AuxiliarySlotInfo | undefined, targetTokens: number): number {
    const isNamed = slot !== undefined && slot.model !== '' && slot.provider !== 'auto'
    const info = isNamed ? this.#ctx.use(Models).describe(slot) : undefined
    return (info?.contextWindow === undefined ? targetTokens : info.contextWindow * WINDOW_SHARE) * CHARACTERS_A_TOKEN
  }

  /** The answer of the user's own server, or its failure: then the models of svc are called. */
  async #askOwn(
    messages: ReturnType<typeof orderMessages>,
    slot: AuxiliarySlotInfo | undefined,
    { sessionId, turnId, signal }: CompactionRequest,
  ): Promise<AuxiliaryResult | string | undefined> {
    if (this.#ctx.config.summary_base_url.trim() === '') return undefined
    const { model = '', timeoutMs = 120_000 } = slot ?? {}
    try {
      const answer = await askEndpoint(this.#ctx, { messages, model, timeoutMs, sessionId, turnId, signal })
      return answer.text.trim() === '' ? 'It said nothing.' : answer
    } catch (error) {
      signal.throwIfAborted()
      if (errorCode(error) === 'BUDGET_EXCEEDED') throw error
      this.#ctx.log.warn('the server of compression.summary_base_url did not help', { error })
      return errorMessage(error)
    }
  }
}
