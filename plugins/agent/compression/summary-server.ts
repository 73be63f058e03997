/** A server of the user's own for summaries: `compression.summary_base_url`, by chat completions and without a key. */
import { Clock, type Message, type PluginContext, SvcError, tryParseJson, type Usage } from 'svc/sdk'
import {
  AnswerBuilder,
  type AuxiliaryResult,
  fetchModels,
  isLoopback,
  type ModelCallSpec,
  type ModelEvent,
  type StreamParser,
  streamModel,
} from 'svc/sdk/provider'
import { Budgets } from 'svc/sdk/safety'
import type { Config } from './config.ts'
import { totalTokens } from './tokens.ts'

const SETTING = 'compression.summary_base_url'
const PROVIDER = 'summary-server'
const CHANGE = `If the address is wrong: \`svc config set ${SETTING} http://host:port/v1\`.`
/** Local models may read a long prompt for minutes before the first byte. */
const IDLE_MS = 600_000

/** What is wanted of it. */
export interface SummaryCall {
  readonly messages: readonly Message[]
  /** Empty: the first that the server lists. */
  readonly model: string
  readonly timeoutMs: number
  readonly sessionId: string
  readonly turnId: string | undefined
  readonly signal: AbortSignal
}

/** Asks the server. Throws `COMPRESSION_FAILED` with what it said, or `BUDGET_EXCEEDED`. */
export async function askEndpoint(ctx: PluginContext<Config>, call: SummaryCall): Promise<AuxiliaryResult> {
  const url = parseEndpointAddress(ctx.config.summary_base_url)
  const baseUrl = url.origin + url.pathname.replace(/\/(chat\/completions\/?)?$/, '')
  const model = call.model || (await firstModel(ctx, baseUrl))
  const { sessionId, turnId, messages } = call
  const spender = { sessionId, ...(turnId !== undefined && { turnId }), purpose: 'compression' }
  const reservation = await ctx
    .find(Budgets)
    ?.hold({ ...spender, provider: PROVIDER, model }, { inputTokens: totalTokens(messages), outputTokens: 4096 })
  const late = new AbortController()
  const cancel = ctx.use(Clock).after(call.timeoutMs, () => late.abort(new Error('it took too long')))
  const signal = AbortSignal.any([call.signal, late.signal])
  try {
    const { text, usage } = await listen(streamModel(wireCall({ baseUrl, url, model, messages, signal }), ctx))
    return { text, provider: PROVIDER, model, usage: reservation?.settle(usage) ?? usage }
  } finally {
    cancel()
    reservation?.release()
  }
}

async function listen(batches: AsyncIterable<readonly ModelEvent[]>): Promise<{ text: string; usage: Usage }> {
  const said: { text: string; usage: Usage } = { text: '', usage: {} }
  for await (const batch of batches)
    for (const each of batch) {
      if (each.type === 'text') said.text += each.text
      else if (each.type === 'usage') said.usage = each.usage
      else if (each.type === 'failed') throw new SvcError('COMPRESSION_FAILED', each.failure.message)
    }
  return said
}

function parseEndpointAddress(text: string): URL {
  const address = text.trim()
  if (/^https?:\/\//i.test(address) && URL.canParse(address)) return new URL(address)
  throw new SvcError('COMPRESSION_FAILED', `${SETTING} is "${address}", which is no address of a server. ${CHANGE}`)
}

async function firstModel(ctx: PluginContext<Config>, baseUrl: string): Promise<string> {
  const read = (json: unknown): readonly string[] | undefined => {
    const { data } = (json ?? {}) as { data?: unknown }
    if (!Array.isArray(data)) return undefined
    return data.flatMap((entry: { id?: unknown } | null) => (typeof entry?.id === 'string' ? [entry.id] : []))
  }
  const [first] = (await fetchModels({ url: `${baseUrl}/models`, headers: {}, read }, ctx)) ?? []
  if (first !== undefined) return first
  throw new SvcError(
    'COMPRESSION_FAILED',
    `The server at ${baseUrl} does not list its models. Name one: \`svc config set auxiliary.compression.model <model>\`. ${CHANGE}`,
  )
}

/** https://platform.openai.com/docs/api-reference/chat/create */
function wireCall({
  baseUrl,
  url,
  model,
  messages,
  signal,
}: {
  readonly baseUrl: string
  readonly url: URL
  readonly model: string
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
}): ModelCallSpec {
  const body = JSON.stringify({
    model,
    messages: messages.map(({ role, text }) => ({ role, content: text })),
    stream: true,
    stream_options: { include_usage: true },
  })
  return {
    who: `The server at ${baseUrl}`,
    baseUrl,
    isLoopback: isLoopback(url),
    key: { value: undefined, variable: undefined },
    keyless: true,
    change: CHANGE,
    request: { model, messages, tools: [], signal },
    pictures: { maxBytes: 0 },
    idPrefix: 'call_',
    errors: { noun: 'chat completion', api: 'an OpenAI-compatible API' },
    readsWhole: true,
    post: () => ({ url: `${baseUrl}/chat/completions${url.search}`, body, idleMs: IDLE_MS }),
    answer: (newId) => new TextAnswer(newId),
  }
}

interface Chunk {
  readonly choices?: readonly {
    readonly delta?: { readonly content?: unknown } | null
    readonly message?: { readonly content?: unknown } | null
    readonly finish_reason?: unknown
  }[]
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown } | null
  readonly error?: unknown
}

/** The text of chat completion chunks, or of a whole completion; nothing else is asked for. */
class TextAnswer implements StreamParser {
  done = false
  finished = false
  error: unknown
  garbled: string | undefined
  recognised = false
  readonly #parts: AnswerBuilder
  #usage: Chunk['usage']
  #isCut = false

  constructor(newId: () => string) {
    this.#parts = new AnswerBuilder(newId)
  }

  add(data: string): void {
    if (data.startsWith('[DONE]')) {
      this.done = true
      this.finished = true
      return
    }
    const chunk = tryParseJson(data)?.value as Chunk | null | undefined
    if (typeof chunk !== 'object' || chunk === null) {
      this.garbled ??= data
      return
    }
    this.error ??= chunk.error || undefined
    this.#usage = chunk.usage ?? this.#usage
    if (!Array.isArray(chunk.choices)) return
    this.recognised = true
    const choice: NonNullable<Chunk['choices']>[number] | undefined = chunk.choices[0]
    const text = choice?.delta?.content ?? choice?.message?.content
    if (typeof text === 'string' && text !== '') this.#parts.append('text', text)
    if (typeof choice?.finish_reason !== 'string') return
    this.finished = true
    this.#isCut = choice.finish_reason === 'length'
  }

  take(): ModelEvent[] {
    return this.#parts.take()
  }

  end(): ModelEvent[] {
    const usage = { input: this.#usage?.prompt_tokens, output: this.#usage?.completion_tokens }
    return this.#parts.end({ calls: [], usage, stopped: this.#isCut ? 'length' : 'stop' })
  }
}
