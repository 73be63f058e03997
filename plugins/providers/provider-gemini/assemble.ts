/** From streamed `GenerateContentResponse`s to model events (https://ai.google.dev/api/generate-content). */
import { tryParseJson } from 'svc/sdk'
import {
  AnswerBuilder,
  type ModelEvent,
  type PartialToolCall,
  type ProviderBlock,
  type StreamParser,
  toProviderMetadata,
} from 'svc/sdk/provider'
import type { ServiceTier } from 'svc/sdk/sessions'

interface WirePart {
  readonly text?: string
  readonly thought?: boolean
  readonly thoughtSignature?: string
  readonly inlineData?: { readonly mimeType?: string; readonly data?: string } | null
  readonly functionCall?: { readonly id?: string; readonly name?: string; readonly args?: unknown } | null
}
interface WireUsage {
  readonly promptTokenCount?: number | null
  /** What tools that the service runs itself have given to read. */
  readonly toolUsePromptTokenCount?: number | null
  readonly candidatesTokenCount?: number | null
  readonly thoughtsTokenCount?: number | null
  readonly cachedContentTokenCount?: number | null
  readonly serviceTier?: unknown
}
interface WireChunk {
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly WirePart[] } | null
    readonly finishReason?: string | null
    readonly finishMessage?: string | null
  }[]
  readonly promptFeedback?: { readonly blockReason?: string | null } | null
  readonly usageMetadata?: WireUsage | null
  readonly error?: unknown
}

/** Reasons that mean: the answer was held back. */
const FILTERED =
  /^(SAFETY|RECITATION|LANGUAGE|BLOCKLIST|PROHIBITED_CONTENT|SPII|IMAGE_SAFETY|IMAGE_PROHIBITED_CONTENT|IMAGE_RECITATION)$/
/** Reasons that mean: the model wrote a call that the service could not read. Asking again helps. */
const MISWRITTEN = /^(MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS|MALFORMED_RESPONSE)$/

/** Whose answer it is, and what it needs. */
export interface AnswerOptions {
  readonly provider: string
  readonly model: string
  /** Names calls, which mostly come without an id. */
  newId(): string
  /** Another tier was refused, and asked for no longer. */
  readonly isUsual?: boolean
}

/** One answer in the making. */
export class Answer implements StreamParser {
  /** There is no last event: the body ends. */
  readonly done = false
  /** The `error` that the service sent in the middle. */
  error: unknown
  /** Data that is no response of this API. */
  garbled: string | undefined
  #options: AnswerOptions
  #parts: AnswerBuilder
  #pieces: ProviderBlock[] = []
  #calls: PartialToolCall[] = []
  #usage: WireUsage | undefined
  #finish: string | undefined
  #finishMessage: string | undefined
  #isBlocked = false

  constructor(options: AnswerOptions) {
    this.#options = options
    this.#parts = new AnswerBuilder(options.newId)
  }

  get finished(): boolean {
    return this.#finish !== undefined || this.#isBlocked
  }

  /** The reason, if the model wrote a call that cannot be parsed. */
  get miswritten(): string | undefined {
    if (this.#finish === undefined || !MISWRITTEN.test(this.#finish)) return undefined
    return [this.#finish, ...(this.#finishMessage ? [this.#finishMessage] : [])].join(': ')
  }

  add(data: string): void {
    const chunk = tryParseJson(data)?.value as WireChunk | null | undefined
    if (typeof chunk !== 'object' || chunk === null || !isChunk(chunk)) {
      this.garbled ??= data
      return
    }
    this.error ??= chunk.error || undefined
    if (chunk.usageMetadata) this.#usage = chunk.usageMetadata
    if (chunk.promptFeedback?.blockReason) this.#isBlocked = true
    const candidate = chunk.candidates?.[0]
    for (const part of candidate?.content?.parts ?? []) this.#addPart(part)
    if (candidate?.finishReason) this.#finish = candidate.finishReason
    if (candidate?.finishMessage) this.#finishMessage = candidate.finishMessage
  }

  take(): ModelEvent[] {
    return this.#parts.take()
  }

  /** The last events of a complete answer. */
  end(): ModelEvent[] {
    const isSigned = this.#pieces.some(({ signature }) => signature)
    return this.#parts.end({
      calls: this.#calls,
      carry: isSigned ? toProviderMetadata(this.#options, this.#pieces) : undefined,
      usage: readUsage(this.#usage ?? {}),
      tier: readTier(this.#usage?.serviceTier) ?? (this.#options.isUsual ? 'default' : undefined),
      stopped: this.#stopped(),
    })
  }

  #addPart({ text, thought, functionCall, inlineData, thoughtSignature: signature }: WirePart): void {
    const mark = signature ? { signature } : {}
    if (thought === true) {
      if (text) this.#parts.append('reasoning', text)
    } else if (functionCall) this.#addCall(functionCall, mark)
    else if (inlineData?.data) {
      const { mimeType = 'image/png', data } = inlineData
      this.#parts.add({ type: 'image', image: { mediaType: mimeType, data } })
      this.#pieces.push({ type: 'image', ...mark })
    } else if (text !== undefined) this.#addText(text, mark)
  }

  /** A signature may come with an empty text. What it stands with is not joined with anything else. */
  #addText(text: string, mark: { readonly signature?: string }): void {
    this.#parts.append('text', text)
    const last = this.#pieces.at(-1)
    const isOpen = last?.type === 'text' && last['signature'] === undefined && mark.signature === undefined
    if (isOpen) this.#pieces.splice(-1, 1, { type: 'text', length: (last.length ?? 0) + text.length })
    else if (text !== '' || mark.signature) this.#pieces.push({ type: 'text', length: text.length, ...mark })
  }

  #addCall({ id: given, name = '', args }: NonNullable<WirePart['functionCall']>, mark: object): void {
    const id = given && !this.#calls.some((call) => call.id === given) ? given : this.#options.newId()
    this.#calls.push({ id, name, input: args ?? {} })
    this.#pieces.push({ type: 'call', id, ...mark })
  }

  #stopped(): 'stop' | 'length' | 'filtered' {
    if (this.#finish === 'MAX_TOKENS') return 'length'
    return this.#isBlocked || FILTERED.test(this.#finish ?? '') ? 'filtered' : 'stop'
  }
}

function isChunk(chunk: WireChunk): boolean {
  return Boolean(chunk.candidates ?? chunk.promptFeedback ?? chunk.usageMetadata ?? chunk.error)
}

/** Names in both of the spellings that its pages have. */
function readTier(value: unknown): ServiceTier | undefined {
  const [, name] = /^(?:SERVICE_TIER_)?(STANDARD|FLEX|PRIORITY)$/i.exec(String(value)) ?? []
  if (name === undefined) return undefined
  const tier = name.toLowerCase()
  return tier === 'standard' ? 'default' : (tier as ServiceTier)
}

/** Thoughts are counted apart there; `output` means all that was written, as with other providers. */
function readUsage(wire: WireUsage) {
  const { promptTokenCount: read, toolUsePromptTokenCount: given } = wire
  const { candidatesTokenCount: said, thoughtsTokenCount: reasoning, cachedContentTokenCount: cachedInput } = wire
  return {
    input: typeof read === 'number' ? read + (given ?? 0) : undefined,
    output: typeof (said ?? reasoning) === 'number' ? (said ?? 0) + (reasoning ?? 0) : undefined,
    cachedInput,
    reasoning,
  }
}
