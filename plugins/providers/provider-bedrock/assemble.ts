/**
 * From the events of `ConverseStream` to model events
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html).
 */
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
import type { Frame } from './frames.ts'

interface WireDelta {
  readonly text?: string
  readonly toolUse?: { readonly input?: string }
  readonly reasoningContent?: {
    readonly text?: string
    readonly signature?: string
    readonly redactedContent?: string
  }
  readonly image?: { readonly source?: { readonly bytes?: string } }
}
interface WireUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cacheReadInputTokens?: number
  readonly cacheWriteInputTokens?: number
}
interface WirePayload {
  readonly contentBlockIndex?: number
  readonly start?: {
    readonly toolUse?: { readonly toolUseId?: string; readonly name?: string }
    readonly image?: { readonly format?: string }
  }
  readonly delta?: WireDelta
  readonly stopReason?: string
  readonly usage?: WireUsage
  readonly message?: string
}

interface OpenCall {
  readonly type: 'tool_use'
  readonly index: number
  readonly id: string
  readonly name: string
  input: string
}
interface OpenText {
  readonly type: 'text'
  readonly index: number
  text: string
}
interface OpenThought {
  readonly type: 'thinking'
  readonly index: number
  text: string
  signature: string
  readonly redacted: string[]
}
interface OpenImage {
  readonly type: 'image'
  readonly index: number
  readonly format: string
  readonly data: string[]
}
type OpenBlock = OpenCall | OpenText | OpenThought | OpenImage

/** An error in the middle of the stream. `type` is that of the exception. */
interface StreamError {
  readonly type: string
  readonly message: string
}

/** Whose answer it is, and what it needs. */
export interface AnswerOptions {
  readonly provider: string
  readonly model: string
  /** Names calls that came without an id. */
  newId(): string
}

const STOPPED: Readonly<Record<string, 'length' | 'filtered'>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'filtered',
  content_filtered: 'filtered',
  refusal: 'filtered',
}
/** Reasons that mean: the model wrote what the service could not read. Asking again helps. */
const MISWRITTEN = /^malformed_/

/** One answer in the making. */
export class Answer implements StreamParser {
  /** The counts have come: nothing follows them. */
  done = false
  error: StreamError | undefined
  /** Data that is no event of this API. */
  garbled: string | undefined
  #options: AnswerOptions
  #parts: AnswerBuilder
  #blocks: OpenBlock[] = []
  #usage: WireUsage | undefined
  #stop: string | undefined

  constructor(options: AnswerOptions) {
    this.#options = options
    this.#parts = new AnswerBuilder(options.newId)
  }

  get finished(): boolean {
    return this.done || this.#stop !== undefined
  }

  /** The reason, if the model's output cannot be parsed. */
  get miswritten(): string | undefined {
    return this.#stop !== undefined && MISWRITTEN.test(this.#stop) ? this.#stop : undefined
  }

  add(data: string): void {
    const { headers, payload } = JSON.parse(data) as Frame
    const parsed = tryParseJson(payload)
    const content = (parsed?.value ?? {}) as WirePayload
    const kind = headers[':message-type'] ?? 'event'
    if (kind !== 'event') this.error ??= toStreamError(headers, content.message)
    else if (parsed === undefined || typeof content !== 'object') this.garbled ??= payload
    else this.#addEvent(headers[':event-type'], content)
  }

  take(): ModelEvent[] {
    return this.#parts.take()
  }

  /** The last events of a complete answer. */
  end(): ModelEvent[] {
    const calls: PartialToolCall[] = []
    const pieces = this.#blocks.flatMap((block): ProviderBlock[] => {
      if (block.type === 'image') return []
      if (block.type !== 'tool_use') return toPieces(block)
      const id = block.id || this.#options.newId()
      calls.push({ ...block, id })
      return [{ type: 'call', id }]
    })
    const carry = toProviderMetadata(this.#options, pieces)
    return this.#parts.end({
      calls,
      carry,
      usage: readUsage(this.#usage ?? {}),
      stopped: STOPPED[this.#stop ?? ''] ?? 'stop',
    })
  }

  /** Events of later versions are passed over. */
  #addEvent(type: string | undefined, { contentBlockIndex = 0, start, delta, stopReason, usage }: WirePayload): void {
    if (type === 'contentBlockStart') this.#start(contentBlockIndex, start ?? {})
    if (type === 'contentBlockDelta' && delta) this.#addDelta(contentBlockIndex, delta)
    if (type === 'contentBlockStop') this.#finish(contentBlockIndex)
    if (type === 'messageStop') this.#stop = stopReason ?? 'end_turn'
    if (type !== 'metadata') return
    this.#usage = usage
    this.done = true
  }

  #start(index: number, { toolUse, image }: NonNullable<WirePayload['start']>): void {
    if (toolUse)
      this.#blocks.push({ type: 'tool_use', index, id: toolUse.toolUseId ?? '', name: toolUse.name ?? '', input: '' })
    if (image) this.#blocks.push({ type: 'image', index, format: image.format ?? 'png', data: [] })
  }

  #finish(index: number): void {
    const block = this.#blocks.findLast((each) => each.index === index)
    if (block?.type === 'image' && block.data.length > 0) this.#parts.add(toImageEvent(block))
  }

  /** Text and reasoning blocks have no start event. */
  #addDelta(index: number, { text, toolUse, reasoningContent: thought, image }: WireDelta): void {
    if (text) {
      this.#block(index, 'text', () => ({ type: 'text', index, text: '' })).text += text
      this.#parts.append('text', text)
    }
    if (thought) {
      const empty = (): OpenThought => ({ type: 'thinking', index, text: '', signature: '', redacted: [] })
      const block = this.#block(index, 'thinking', empty)
      block.text += thought.text ?? ''
      block.signature += thought.signature ?? ''
      if (thought.redactedContent) block.redacted.push(thought.redactedContent)
      if (thought.text) this.#parts.append('reasoning', thought.text)
    }
    const open = this.#blocks.findLast((each) => each.index === index)
    if (toolUse && open?.type === 'tool_use') open.input += toolUse.input ?? ''
    if (image?.source?.bytes && open?.type === 'image') open.data.push(image.source.bytes)
  }

  #block<Type extends OpenBlock['type']>(
    index: number,
    type: Type,
    make: () => Extract<OpenBlock, { type: Type }>,
  ): Extract<OpenBlock, { type: Type }> {
    const found = this.#blocks.findLast((each) => each.index === index && each.type === type)
    if (found) return found as Extract<OpenBlock, { type: Type }>
    const made = make()
    this.#blocks.push(made)
    return made
  }
}

/** `exception` is one that the API documents, `error` any other. */
function toStreamError(headers: Frame['headers'], message: string | undefined): StreamError {
  return {
    type: headers[':exception-type'] ?? headers[':error-code'] ?? 'unknown',
    message: message ?? headers[':error-message'] ?? '',
  }
}

/** A thought that is not signed cannot go back. */
function toPieces(block: OpenText | OpenThought): ProviderBlock[] {
  if (block.type === 'text') return [{ type: 'text', length: block.text.length }]
  const thought = anthropicThinkingBlock(
    block.redacted.length === 0
      ? { type: 'thinking', thinking: block.text, signature: block.signature }
      : { type: 'redacted_thinking', data: joinBase64(block.redacted) },
  )
  return thought ? [thought] : []
}

function toImageEvent({ format, data }: OpenImage): ModelEvent {
  return { type: 'image', image: { mediaType: `image/${format}`, data: joinBase64(data) } }
}

/** Pieces of base64 may be padded, each of them. */
function joinBase64(pieces: readonly string[]): string {
  const [first = ''] = pieces
  return pieces.length < 2
    ? first
    : Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64'))).toString('base64')
}

/** `inputTokens` are only those past the cache; `input` means all that was read, as with other providers. */
function readUsage(wire: WireUsage) {
  const { inputTokens: fresh, outputTokens: output } = wire
  const { cacheReadInputTokens: cachedInput, cacheWriteInputTokens: cacheWriteInput } = wire
  const input = typeof fresh === 'number' ? fresh + (cachedInput ?? 0) + (cacheWriteInput ?? 0) : undefined
  return { input, output, cachedInput, cacheWriteInput }
}
