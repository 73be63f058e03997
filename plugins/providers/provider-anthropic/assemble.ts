/** From stream events of the Messages API to model events (https://docs.anthropic.com/en/docs/build-with-claude/streaming). */
import { tryParseJson } from 'svc/sdk'
import { anthropicThinkingBlock } from 'svc/sdk/kit/wire'
import {
  AnswerBuilder,
  type ModelEvent,
  type PartialToolCall,
  type ProviderBlock,
  type StreamParser,
  toProviderMetadata,
} from 'svc/sdk/provider'
import type { ServiceTier } from 'svc/sdk/sessions'

interface WireUsage {
  readonly input_tokens?: number | null
  readonly output_tokens?: number | null
  readonly cache_creation_input_tokens?: number | null
  readonly cache_read_input_tokens?: number | null
  /** Which speed it had: `fast` or `standard`. */
  readonly speed?: unknown
}
interface WireBlock {
  readonly type?: string
  readonly text?: string
  readonly thinking?: string
  readonly signature?: string
  readonly data?: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
}
interface WireDelta {
  readonly text?: string
  readonly thinking?: string
  readonly signature?: string
  readonly partial_json?: string
  readonly stop_reason?: string | null
}
/** The message as it begins. One that follows a tool of the service may be complete here already. */
interface WireMessage {
  readonly usage?: WireUsage | null
  readonly content?: readonly WireBlock[] | null
  readonly stop_reason?: string | null
}
interface WireEvent {
  readonly type?: string
  readonly index?: number
  readonly message?: WireMessage | null
  readonly content_block?: WireBlock | null
  readonly delta?: WireDelta | null
  readonly usage?: WireUsage | null
  readonly error?: unknown
}
interface OpenCall {
  readonly type: 'tool_use'
  readonly index: number
  readonly id: string
  readonly name: string
  /** What came whole, without deltas. */
  readonly whole: unknown
  pieces: string
}
interface OpenText {
  readonly type: 'text' | 'thinking'
  readonly index: number
  text: string
  signature: string
}
/** A block of the answer. Those of tools that the service runs itself are passed over. */
type OpenBlock =
  | OpenCall
  | OpenText
  | { readonly type: 'redacted_thinking'; readonly index: number; readonly data: string }

/** Whose answer it is, and what it needs. */
export interface AnswerOptions {
  readonly provider: string
  readonly model: string
  /** Names calls that came without an id. */
  newId(): string
  /** A faster tier was refused, and asked for no longer. */
  readonly isUsual?: boolean
}

/** One answer in the making. */
export class Answer implements StreamParser {
  done = false
  /** The `error` that the service sent in the middle. */
  error: unknown
  /** Data that is no event of this API. */
  garbled: string | undefined
  /** At least one event was of this API. */
  recognised = false
  #options: AnswerOptions
  #parts: AnswerBuilder
  #blocks: OpenBlock[] = []
  #usage: WireUsage = {}
  #tier: ServiceTier | undefined
  #stop: string | undefined

  constructor(options: AnswerOptions) {
    this.#options = options
    this.#tier = options.isUsual ? 'default' : undefined
    this.#parts = new AnswerBuilder(options.newId)
  }

  get finished(): boolean {
    return this.done || this.#stop !== undefined
  }

  add(data: string): void {
    const event = tryParseJson(data)?.value as WireEvent | null | undefined
    if (typeof event !== 'object' || event === null || typeof event.type !== 'string') {
      this.garbled ??= data
      return
    }
    this.#addEvent(event.type, event)
  }

  take(): ModelEvent[] {
    return this.#parts.take()
  }

  /** The last events of a complete answer. */
  end(): ModelEvent[] {
    const calls: PartialToolCall[] = []
    const pieces = this.#blocks.flatMap((block): ProviderBlock[] => {
      if (block.type !== 'tool_use') return toPieces(block)
      const id = block.id || this.#options.newId()
      calls.push({ id, name: block.name, input: block.pieces === '' ? (block.whole ?? {}) : block.pieces })
      return [{ type: 'call', id }]
    })
    const carry = toProviderMetadata(this.#options, pieces)
    return this.#parts.end({
      calls,
      carry,
      usage: readUsage(this.#usage),
      tier: this.#tier,
      stopped: this.#stopped(calls.length),
    })
  }

  /** Events of later versions are passed over, as the versioning policy of the service asks. */
  #addEvent(type: string, { index = 0, message, content_block, delta, usage, error }: WireEvent): void {
    switch (type) {
      case 'message_start':
        this.recognised = true
        this.#begin(message ?? {})
        return
      case 'content_block_start':
        if (content_block) this.#start(index, content_block)
        return
      case 'content_block_delta':
        if (delta) this.#addDelta(index, delta)
        return
      case 'message_delta':
        this.#stop = delta?.stop_reason ?? this.#stop
        this.#count(usage)
        return
      case 'message_stop':
        this.done = true
        return
      case 'error':
        this.error ??= error ?? 'no reason given'
    }
  }

  #begin({ usage, content, stop_reason: stop }: WireMessage): void {
    this.#count(usage)
    this.#stop = stop ?? this.#stop
    for (const [index, block] of (content ?? []).entries()) this.#start(index, block)
  }

  #start(index: number, { type, text = '', thinking = '', signature = '', ...rest }: WireBlock): void {
    const { data = '', id = '', name = '', input } = rest
    if (type === 'redacted_thinking') this.#blocks.push({ type, index, data })
    if (type === 'tool_use') this.#blocks.push({ type, index, id, name, whole: input, pieces: '' })
    if (type !== 'text' && type !== 'thinking') return
    this.#blocks.push({ type, index, text: '', signature: '' })
    this.#addDelta(index, type === 'text' ? { text } : { thinking, signature })
  }

  #addDelta(index: number, { text, thinking, signature, partial_json }: WireDelta): void {
    const block = this.#blocks.findLast((each) => each.index === index)
    if (block?.type === 'tool_use') block.pieces += partial_json ?? ''
    else if (block?.type === 'text' || block?.type === 'thinking') {
      block.text += text ?? thinking ?? ''
      block.signature += signature ?? ''
      if (text) this.#parts.append('text', text)
      if (thinking) this.#parts.append('reasoning', thinking)
    }
  }

  /** Later counts are the sum so far. */
  #count(usage: WireUsage | null | undefined): void {
    const known = Object.entries(usage ?? {}).filter(([, count]) => typeof count === 'number')
    this.#usage = { ...this.#usage, ...Object.fromEntries(known) }
    if (usage?.speed === 'fast') this.#tier = 'priority'
    else if (usage?.speed === 'standard') this.#tier = 'default'
  }

  #stopped(calls: number): 'stop' | 'length' | 'filtered' {
    switch (this.#stop) {
      case 'max_tokens':
      case 'model_context_window_exceeded':
        return 'length'
      case 'refusal':
        return 'filtered'
      case 'pause_turn':
        // The service expects a request to continue.
        return calls === 0 ? 'length' : 'stop'
      default:
        return 'stop'
    }
  }
}

/** A thought that is not signed cannot go back. */
function toPieces(block: Exclude<OpenBlock, OpenCall>): ProviderBlock[] {
  if (block.type === 'text') return [{ type: 'text', length: block.text.length }]
  const thought = anthropicThinkingBlock(block.type === 'thinking' ? { ...block, thinking: block.text } : { ...block })
  return thought ? [thought] : []
}

/** `input_tokens` are only those past the cache; `input` means all that was read, as with other providers. */
function readUsage(wire: WireUsage) {
  const { input_tokens: fresh, output_tokens: output } = wire
  const { cache_read_input_tokens: cachedInput, cache_creation_input_tokens: cacheWriteInput } = wire
  const input = typeof fresh === 'number' ? fresh + (cachedInput ?? 0) + (cacheWriteInput ?? 0) : undefined
  return { input, output, cachedInput, cacheWriteInput }
}
