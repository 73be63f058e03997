/** From streamed `GenerateContentResponse`s to model events (https://ai.google.dev/api/generate-content). */
import type { ModelEvent, StreamedAnswer, Usage } from 'svc/sdk'

interface WirePart {
  readonly text?: string
  readonly thought?: boolean
  readonly thoughtSignature?: string
  readonly functionCall?: { readonly id?: string; readonly name?: string; readonly args?: unknown } | null
}
interface WireUsage {
  readonly promptTokenCount?: number | null
  readonly candidatesTokenCount?: number | null
  readonly thoughtsTokenCount?: number | null
  readonly cachedContentTokenCount?: number | null
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
  /^(SAFETY|RECITATION|LANGUAGE|BLOCKLIST|PROHIBITED_CONTENT|SPII|IMAGE_SAFETY|IMAGE_PROHIBITED_CONTENT)$/
/** Reasons that mean: the model wrote a call that the service could not read. Asking again helps. */
const MISWRITTEN = /^(MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL|MALFORMED_RESPONSE)$/

/** One answer in the making. `newId` names calls, which come without an id; `onSignature` is told what came with one. */
export class Answer implements StreamedAnswer {
  /** There is no last event: the body ends. */
  readonly done = false
  /** The `error` that the service sent in the middle. */
  error: unknown
  /** Data that is no response of this API. */
  garbled: string | undefined
  #newId: () => string
  #onSignature: (callId: string, signature: string) => void
  #events: ModelEvent[] = []
  #textType: 'text' | 'reasoning' = 'text'
  #text = ''
  #calls: ModelEvent[] = []
  #ids: Set<string> = new Set()
  #usage: WireUsage | undefined
  #finish: string | undefined
  #isBlocked = false

  constructor(newId: () => string, onSignature: (callId: string, signature: string) => void) {
    this.#newId = newId
    this.#onSignature = onSignature
  }

  get finished(): boolean {
    return this.#finish !== undefined || this.#isBlocked
  }

  get broken(): boolean {
    return this.error !== undefined || this.garbled !== undefined
  }

  /** The reason, when the model wrote a call that nobody can read. */
  get miswritten(): string | undefined {
    return this.#finish !== undefined && MISWRITTEN.test(this.#finish) ? this.#finish : undefined
  }

  add(data: string): void {
    const chunk = parse(data) as WireChunk | null | undefined
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
  }

  take(): ModelEvent[] {
    this.#flush()
    const events = this.#events
    this.#events = []
    return events
  }

  /** The last events of a complete answer. */
  end(): ModelEvent[] {
    const usage = this.#usage && usageOf(this.#usage)
    return [
      ...this.take(),
      ...this.#calls,
      ...(usage ? [{ type: 'usage', usage } as const] : []),
      { type: 'end', reason: this.#reason() },
    ]
  }

  #addPart({ text, thought, functionCall, thoughtSignature }: WirePart): void {
    if (text) this.#append(thought === true ? 'reasoning' : 'text', text)
    if (!functionCall) return
    const { id: given, name, args } = functionCall
    const id = given && !this.#ids.has(given) ? given : this.#newId()
    this.#ids.add(id)
    this.#calls.push({ type: 'tool-call', call: { id, name: name || 'unnamed', input: args ?? {} } })
    if (thoughtSignature) this.#onSignature(id, thoughtSignature)
  }

  #append(type: 'text' | 'reasoning', text: string): void {
    if (type !== this.#textType) this.#flush()
    this.#textType = type
    this.#text += text
  }

  #flush(): void {
    if (this.#text === '') return
    this.#events.push({ type: this.#textType, text: this.#text })
    this.#text = ''
  }

  #reason(): 'stop' | 'tool-calls' | 'length' | 'filtered' {
    if (this.#finish === 'MAX_TOKENS') return 'length'
    if (this.#isBlocked || FILTERED.test(this.#finish ?? '')) return 'filtered'
    return this.#calls.length > 0 ? 'tool-calls' : 'stop'
  }
}

function isChunk(chunk: WireChunk): boolean {
  return Boolean(chunk.candidates ?? chunk.promptFeedback ?? chunk.usageMetadata ?? chunk.error)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Thoughts are counted apart there; `output` means all that was written, as with other providers. */
function usageOf(wire: WireUsage): Usage | undefined {
  const { promptTokenCount: input, candidatesTokenCount: said, thoughtsTokenCount: thought } = wire
  const cached = wire.cachedContentTokenCount
  const usage: Usage = {
    ...(typeof input === 'number' ? { input } : {}),
    ...(typeof (said ?? thought) === 'number' ? { output: (said ?? 0) + (thought ?? 0) } : {}),
    ...(typeof cached === 'number' ? { cachedInput: cached } : {}),
    ...(typeof thought === 'number' ? { reasoning: thought } : {}),
  }
  return Object.keys(usage).length > 0 ? usage : undefined
}
