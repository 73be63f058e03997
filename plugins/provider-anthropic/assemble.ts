/** From stream events of the Messages API to model events (https://docs.anthropic.com/en/docs/build-with-claude/streaming). */
import type { ModelEvent, StreamedAnswer, Usage } from 'svc/sdk'

interface WireUsage {
  readonly input_tokens?: number | null
  readonly output_tokens?: number | null
  readonly cache_creation_input_tokens?: number | null
  readonly cache_read_input_tokens?: number | null
}
interface WireBlock {
  readonly type?: string
  readonly text?: string
  readonly thinking?: string
  readonly id?: string
  readonly name?: string
  readonly input?: unknown
}
interface WireDelta {
  readonly text?: string
  readonly thinking?: string
  readonly partial_json?: string
  readonly stop_reason?: string | null
}
interface WireEvent {
  readonly type?: string
  readonly index?: number
  readonly message?: { readonly usage?: WireUsage | null } | null
  readonly content_block?: WireBlock | null
  readonly delta?: WireDelta | null
  readonly usage?: WireUsage | null
  readonly error?: unknown
}
interface PendingCall {
  readonly index: number
  readonly id: string
  readonly name: string
  /** What came whole, without deltas. */
  readonly whole: unknown
  pieces: string
}

/** One answer in the making. `newId` names calls that came without an id. */
export class Answer implements StreamedAnswer {
  done = false
  /** The `error` that the service sent in the middle. */
  error: unknown
  /** Data that is no event of this API. */
  garbled: string | undefined
  /** At least one event was of this API. */
  recognised = false
  #newId: () => string
  #events: ModelEvent[] = []
  #textType: 'text' | 'reasoning' = 'text'
  #text = ''
  #calls: PendingCall[] = []
  #usage: WireUsage = {}
  #stop: string | undefined

  constructor(newId: () => string) {
    this.#newId = newId
  }

  get finished(): boolean {
    return this.done || this.#stop !== undefined
  }

  get broken(): boolean {
    return this.error !== undefined || this.garbled !== undefined
  }

  add(data: string): void {
    const event = parse(data)?.value as WireEvent | null | undefined
    if (typeof event !== 'object' || event === null || typeof event.type !== 'string') {
      this.garbled ??= data
      return
    }
    this.#addEvent(event.type, event)
  }

  take(): ModelEvent[] {
    this.#flush()
    const events = this.#events
    this.#events = []
    return events
  }

  /** The last events of a complete answer. A call that the output limit has cut is left out, so that it never runs. */
  end(): ModelEvent[] {
    const events = this.take()
    const cut = this.#stop === 'max_tokens' || this.#stop === 'model_context_window_exceeded'
    let calls = 0
    for (const { id, name, whole, pieces } of this.#calls) {
      const parsed = pieces === '' ? { value: whole ?? {} } : parse(pieces)
      if (cut && !parsed) continue
      calls += 1
      const call = { id: id || this.#newId(), name: name || 'unnamed', input: parsed ? parsed.value : pieces }
      events.push({ type: 'tool-call', call })
    }
    const usage = usageOf(this.#usage)
    if (usage) events.push({ type: 'usage', usage })
    events.push({ type: 'end', reason: this.#reason(cut, calls) })
    return events
  }

  /** Events of later versions are passed over, as the versioning policy of the service asks. */
  #addEvent(type: string, { index = 0, message, content_block, delta, usage, error }: WireEvent): void {
    switch (type) {
      case 'message_start':
        this.recognised = true
        this.#count(message?.usage)
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

  #start(index: number, { type, text, thinking, id = '', name = '', input }: WireBlock): void {
    if (type === 'tool_use') this.#calls.push({ index, id, name, whole: input, pieces: '' })
    if (type === 'thinking' && thinking) this.#append('reasoning', thinking)
    if (type === 'text' && text) this.#append('text', text)
  }

  #addDelta(index: number, { text, thinking, partial_json }: WireDelta): void {
    if (text) this.#append('text', text)
    if (thinking) this.#append('reasoning', thinking)
    const call = partial_json ? this.#calls.findLast((each) => each.index === index) : undefined
    if (call) call.pieces += partial_json
  }

  /** Later counts are the sum so far. */
  #count(usage: WireUsage | null | undefined): void {
    const known = Object.entries(usage ?? {}).filter(([, count]) => typeof count === 'number')
    this.#usage = { ...this.#usage, ...Object.fromEntries(known) }
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

  #reason(cut: boolean, calls: number): 'stop' | 'tool-calls' | 'length' | 'filtered' {
    if (cut) return 'length'
    if (this.#stop === 'refusal') return 'filtered'
    return calls > 0 ? 'tool-calls' : 'stop'
  }
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** `input_tokens` are only those past the cache; `input` means all that was read, as with other providers. */
function usageOf(wire: WireUsage): Usage | undefined {
  const { input_tokens: fresh, output_tokens: output, cache_read_input_tokens: cached } = wire
  const usage: Usage = {
    ...(typeof fresh === 'number' ? { input: fresh + (cached ?? 0) + (wire.cache_creation_input_tokens ?? 0) } : {}),
    ...(typeof output === 'number' ? { output } : {}),
    ...(typeof cached === 'number' ? { cachedInput: cached } : {}),
  }
  return Object.keys(usage).length > 0 ? usage : undefined
}
