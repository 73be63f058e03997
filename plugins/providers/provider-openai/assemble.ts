/** From the JSON of chat completion chunks to model events: puts tool calls together, remembers how it ended. */
import type { ChatCompletionChunk } from 'openai/resources/chat/completions'
import { tryParseJson } from 'svc/sdk'
import { AnswerBuilder, type ModelEvent, type ProviderMetadata, type StreamParser } from 'svc/sdk/provider'
import type { ServiceTier } from 'svc/sdk/sessions'
import { parseImageUrl } from './answer.ts'
import { TextPattern } from './text-pattern.ts'
import { readTier, readUsage, type WireUsage } from './usage.ts'
import type { Dialect } from './wire.ts'

/**
 * What servers really send: OpenAI's chunk with everything optional, `reasoning_content` (DeepSeek, llama.cpp,
 * LM Studio) or `reasoning` (vLLM, Ollama), a whole `message` when streaming was ignored, and `error` in the middle.
 */
interface Chunk {
  readonly choices?: readonly Choice[] | null
  readonly usage?: WireUsage | null
  readonly service_tier?: unknown
  /** `error`: vLLM up to version 0.10 and SGLang, with the fields of the error beside it. */
  readonly object?: unknown
  /** Groq reports usage and errors here. */
  readonly x_groq?: { readonly usage?: WireUsage | null; readonly error?: unknown } | null
  readonly error?: unknown
}
type Delta = Partial<Omit<ChatCompletionChunk.Choice.Delta, 'content'>> & {
  /** Mistral's reasoning models send a list of parts. */
  readonly content?: string | readonly ContentPart[] | null
  readonly reasoning_content?: string | null
  readonly reasoning?: string | null
  readonly reasoning_details?: readonly Detail[] | null
  /** OpenRouter. */
  readonly images?: readonly { readonly image_url?: { readonly url?: unknown } | null }[] | null
}
interface ContentPart {
  readonly type?: string
  readonly text?: string
  readonly thinking?: readonly { readonly text?: string }[]
}
interface Choice {
  readonly delta?: Delta | null
  readonly message?: Delta | null
  readonly finish_reason?: string | null
  /** OpenRouter, beside the reason `error`. */
  readonly error?: unknown
  /** Moonshot reports it here. */
  readonly usage?: WireUsage | null
}
interface WireCall {
  readonly index?: number
  readonly id?: string | null
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown } | null
  /** What Gemini's compatible API wants back with the call: the signature of a thought. */
  readonly extra_content?: unknown
}
/** A piece of OpenRouter's `reasoning_details`: text, a summary or something encrypted, with its place. */
interface Detail {
  readonly type?: unknown
  readonly index?: unknown
  readonly [key: string]: unknown
}
const JOINED: ReadonlySet<string> = new Set(['text', 'summary', 'data'])
/** OpenAI's reasons, those of Z.AI, and those that proxies pass on from other APIs. */
const STOPPED: Readonly<Record<string, 'length' | 'filtered'>> = {
  length: 'length',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  content_filter: 'filtered',
  content_filtered: 'filtered',
  sensitive: 'filtered',
  refusal: 'filtered',
  safety: 'filtered',
}
/** Reasons that are failures (OpenRouter, Z.AI, DeepSeek), when no error stands beside them. */
const FAILED: Readonly<Record<string, unknown>> = {
  error: 'The answer ended with an error and without a reason.',
  network_error: 'The service lost its connection to the model.',
  insufficient_system_resource: { code: 'overloaded', message: 'The service ran out of resources during the answer.' },
}
/** Gemini behind a compatible address: the model wrote a call that the service could not read. */
const MISWRITTEN = /malformed_function_call/i
interface PendingCall {
  readonly index: number | undefined
  id: string
  name: string
  input: string
  extra: unknown
}

/** Whose answer it is, and what that service adds to the wire. */
interface Origin extends Pick<Dialect, 'cost' | 'keepsDetails'> {
  readonly id: string
}

/** One answer in the making. `newId` names calls that the server gave no id. */
export class Answer implements StreamParser {
  /** The server sent `[DONE]`. */
  done = false
  error: unknown
  garbled: string | undefined
  recognised = false
  #origin: Origin
  #parts: AnswerBuilder
  #pattern: TextPattern = new TextPattern()
  #calls: PendingCall[] = []
  #details: Detail[] = []
  #usage: WireUsage | undefined
  #tier: ServiceTier | undefined
  #finish: string | undefined

  constructor(newId: () => string, origin: Origin = { id: 'custom' }) {
    this.#parts = new AnswerBuilder(newId)
    this.#origin = origin
  }

  /** Whether the server said why it stopped: what comes after is no loss. */
  get finished(): boolean {
    return this.done || this.#finish !== undefined
  }

  /** The reason, if the model wrote a call that cannot be parsed. */
  get miswritten(): string | undefined {
    return MISWRITTEN.test(this.#finish ?? '') ? this.#finish : undefined
  }

  /** Takes the data of one event. */
  add(data: string): void {
    const text = this.#pattern.read(data)
    if (text !== undefined) this.#parts.append('text', text)
    else if (data.startsWith('[DONE]')) this.done = true
    else this.#addChunk(data)
  }

  take(): ModelEvent[] {
    return this.#parts.take()
  }

  end(): ModelEvent[] {
    return this.#parts.end({
      calls: this.#calls,
      usage: readUsage(this.#usage ?? {}, this.#origin.cost),
      tier: this.#tier,
      carry: this.#carry(),
      stopped: STOPPED[this.#finish ?? ''] ?? 'stop',
    })
  }

  #count({ usage, x_groq: groq, choices, service_tier: tier }: Chunk): void {
    this.#usage = usage ?? groq?.usage ?? choices?.[0]?.usage ?? this.#usage
    this.#tier = readTier(tier) ?? this.#tier
  }

  #addChunk(data: string): void {
    const chunk = tryParseJson(data)?.value as Chunk | null | undefined
    if (typeof chunk !== 'object' || chunk === null) {
      this.garbled ??= data
      return
    }
    this.error ??= chunk.error || chunk.x_groq?.error || (chunk.object === 'error' ? chunk : undefined)
    this.#count(chunk)
    if (!Array.isArray(chunk.choices)) return
    this.recognised = true
    const choice: Choice | undefined = chunk.choices[0]
    const delta = choice?.delta ?? (choice?.message ? numberCalls(choice.message) : undefined)
    if (delta) this.#addDelta(delta)
    const reason: unknown = choice?.finish_reason
    const finish = typeof reason === 'string' ? reason.toLowerCase() : undefined
    this.error ??= choice?.error || (finish === undefined ? undefined : FAILED[finish])
    if (finish) this.#finish = finish
    const text = onlyText(chunk)
    if (text) this.#pattern.learn(data, text)
  }

  #addDelta(delta: Delta): void {
    const reasoning = delta.reasoning_content || delta.reasoning
    if (typeof reasoning === 'string' && reasoning !== '') this.#parts.append('reasoning', reasoning)
    const text = delta.content || delta.refusal
    if (typeof text === 'string') this.#parts.append('text', text)
    else if (Array.isArray(text)) for (const part of text as readonly ContentPart[]) this.#addPart(part)
    for (const each of delta.images ?? []) this.#addImage(each.image_url?.url)
    for (const detail of delta.reasoning_details ?? []) this.#addDetail(detail)
    if (delta.tool_calls) for (const call of delta.tool_calls as readonly WireCall[]) this.#addCall(call)
  }

  #addImage(url: unknown): void {
    const image = parseImageUrl(url)
    if (image) this.#parts.add({ type: 'image', image })
  }

  #addPart({ text, thinking }: ContentPart): void {
    for (const thought of thinking ?? []) if (thought.text) this.#parts.append('reasoning', thought.text)
    if (text) this.#parts.append('text', text)
  }

  /** OpenRouter's reasoning in pieces: those of one index and type belong together. */
  #addDetail(piece: Detail): void {
    const at = this.#details.findLastIndex(({ index, type }) => index === piece.index && type === piece.type)
    const known = this.#details[at]
    if (known) this.#details[at] = joinDetails(known, piece)
    else this.#details.push(piece)
  }

  #carry(): ProviderMetadata | undefined {
    const { id, keepsDetails } = this.#origin
    const details = keepsDetails && this.#details.length > 0 ? { details: this.#details } : {}
    // By the place of the call: ids may be given by others later.
    const extras = this.#calls.some(({ extra }) => extra)
      ? { extras: this.#calls.map(({ extra }) => extra ?? null) }
      : {}
    const data = { ...details, ...extras }
    return Object.keys(data).length > 0 ? { provider: id, data } : undefined
  }

  #addCall(delta: WireCall): void {
    const id = delta.id ?? ''
    const call = this.#callFor(delta.index, id)
    call.id ||= id
    call.name ||= delta.function?.name ?? ''
    call.extra ??= delta.extra_content
    const piece = delta.function?.arguments
    if (typeof piece === 'string') call.input += piece
    else if (piece) call.input += JSON.stringify(piece)
  }

  /** By index; some servers leave it out, and some give every call index 0 and a different id. */
  #callFor(index: number | undefined, id: string): PendingCall {
    const isSame = (call: PendingCall) => id === '' || call.id === '' || call.id === id
    const known =
      index === undefined
        ? this.#calls.findLast((call) => id === '' || call.id === id)
        : this.#calls.findLast((call) => call.index === index && isSame(call))
    if (known) return known
    const call: PendingCall = { index, id, name: '', input: '', extra: undefined }
    this.#calls.push(call)
    return call
  }
}

/** The calls of a whole message have no index. */
function numberCalls(message: Delta): Delta {
  return message.tool_calls
    ? { ...message, tool_calls: message.tool_calls.map((call, index) => ({ ...call, index })) }
    : message
}

/** The text of a chunk that says nothing else. */
function onlyText({ choices, usage, error }: Chunk): string | undefined {
  const [choice, second] = choices ?? []
  if (!choice?.delta || second || choice.finish_reason || usage || error) return undefined
  const { content, tool_calls, refusal, reasoning, reasoning_content, images, reasoning_details } = choice.delta
  const saysMore =
    tool_calls || refusal || reasoning || reasoning_content || images?.length || reasoning_details?.length
  return !saysMore && typeof content === 'string' ? content : undefined
}

function joinDetails(known: Detail, piece: Detail): Detail {
  const all: Record<string, unknown> = { ...known }
  for (const [key, value] of Object.entries(piece)) {
    const before = all[key]
    const grows = JOINED.has(key) && typeof before === 'string' && typeof value === 'string'
    if (grows) all[key] = before + value
    else if (value !== null && value !== undefined) all[key] = value
  }
  return all
}
