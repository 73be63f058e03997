/** From the JSON of stream chunks to model events: merges text, puts tool calls together, remembers how it ended. */
import type { ChatCompletionChunk } from 'openai/resources/chat/completions'
import type { ModelEvent, StreamedAnswer, Usage } from 'svc/sdk'
import { TextPattern } from './text-pattern.ts'

/**
 * What servers really send: OpenAI's chunk with everything optional, `reasoning_content` (DeepSeek, llama.cpp,
 * LM Studio) or `reasoning` (vLLM, Ollama), a whole `message` when streaming was ignored, and `error` in the middle.
 */
interface Chunk {
  readonly choices?: readonly Choice[] | null
  readonly usage?: WireUsage | null
  /** Groq reports usage and errors here. */
  readonly x_groq?: { readonly usage?: WireUsage | null; readonly error?: unknown } | null
  readonly error?: unknown
}
type Delta = Partial<Omit<ChatCompletionChunk.Choice.Delta, 'content'>> & {
  /** Mistral's reasoning models send a list of parts. */
  readonly content?: string | readonly ContentPart[] | null
  readonly reasoning_content?: string | null
  readonly reasoning?: string | null
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
  /** Moonshot reports it here. */
  readonly usage?: WireUsage | null
}
interface WireUsage {
  /** DeepSeek. */
  readonly prompt_cache_hit_tokens?: number | null
  /** Moonshot. */
  readonly cached_tokens?: number | null
  readonly prompt_tokens?: number | null
  readonly completion_tokens?: number | null
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null
}
interface WireCall {
  readonly index?: number
  readonly id?: string | null
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown } | null
}
interface PendingCall {
  readonly index: number | undefined
  id: string
  name: string
  input: string
}

/** One answer in the making. `newId` names calls that the server gave no id. */
export class Answer implements StreamedAnswer {
  /** The server sent `[DONE]`. */
  done = false
  /** The `error` a server sent in the middle of its answer. */
  error: unknown
  /** Data that is no JSON object. */
  garbled: string | undefined
  /** At least one chunk had the shape of an answer. */
  recognised = false
  #newId: () => string
  #pattern: TextPattern = new TextPattern()
  #events: ModelEvent[] = []
  #textType: 'text' | 'reasoning' = 'text'
  #text = ''
  #calls: PendingCall[] = []
  #usage: WireUsage | undefined
  #finish: string | undefined

  constructor(newId: () => string) {
    this.#newId = newId
  }

  /** Whether the server said why it stopped: what comes after is no loss. */
  get finished(): boolean {
    return this.done || this.#finish !== undefined
  }

  get broken(): boolean {
    return this.error !== undefined || this.garbled !== undefined
  }

  /** Takes the data of one event. */
  add(data: string): void {
    const text = this.#pattern.read(data)
    if (text !== undefined) this.#append('text', text)
    else if (data.startsWith('[DONE]')) this.done = true
    else this.#addChunk(data)
  }

  /** The events since the last call; text in a row is one event. */
  take(): ModelEvent[] {
    this.#flush()
    const events = this.#events
    this.#events = []
    return events
  }

  /**
   * The last events of an answer that is complete: tool calls, usage, end. Arguments that are no JSON stay as they
   * came, so that the model can be told; a call that the output limit has cut is left out, so that it never runs.
   */
  end(): ModelEvent[] {
    const events = this.take()
    const cut = this.#finish === 'length'
    let calls = 0
    for (const { id, name, input } of this.#calls) {
      const parsed = parse(input)
      if (cut && !parsed) continue
      calls += 1
      events.push({
        type: 'tool-call',
        call: { id: id || this.#newId(), name: name || 'unnamed', input: parsed ? parsed.value : input },
      })
    }
    const usage = this.#usage && usageOf(this.#usage)
    if (usage) events.push({ type: 'usage', usage })
    events.push({ type: 'end', reason: this.#reason(calls) })
    return events
  }

  #addChunk(data: string): void {
    const chunk = parse(data)?.value as Chunk | null | undefined
    if (typeof chunk !== 'object' || chunk === null) {
      this.garbled ??= data
      return
    }
    const usage = chunk.usage ?? chunk.x_groq?.usage ?? chunk.choices?.[0]?.usage
    this.error ??= chunk.error || chunk.x_groq?.error || undefined
    if (usage) this.#usage = usage
    if (!Array.isArray(chunk.choices)) return
    this.recognised = true
    const choice: Choice | undefined = chunk.choices[0]
    const delta = choice?.delta ?? (choice?.message ? numbered(choice.message) : undefined)
    if (delta) this.#addDelta(delta)
    if (choice?.finish_reason) this.#finish = choice.finish_reason
    const text = onlyText(chunk)
    if (text) this.#pattern.learn(data, text)
  }

  #addDelta(delta: Delta): void {
    const reasoning = delta.reasoning_content || delta.reasoning
    if (typeof reasoning === 'string' && reasoning !== '') this.#append('reasoning', reasoning)
    const text = delta.content || delta.refusal
    if (typeof text === 'string') this.#append('text', text)
    else if (Array.isArray(text)) for (const part of text as readonly ContentPart[]) this.#addPart(part)
    if (delta.tool_calls) for (const call of delta.tool_calls as readonly WireCall[]) this.#addCall(call)
  }

  #addPart({ text, thinking }: ContentPart): void {
    for (const thought of thinking ?? []) if (thought.text) this.#append('reasoning', thought.text)
    if (text) this.#append('text', text)
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

  #addCall(delta: WireCall): void {
    const id = delta.id ?? ''
    const call = this.#callFor(delta.index, id)
    call.id ||= id
    call.name ||= delta.function?.name ?? ''
    const piece = delta.function?.arguments
    if (typeof piece === 'string') call.input += piece
    else if (piece) call.input += JSON.stringify(piece)
  }

  /** By index; some servers leave it out, and some give every call index 0 with an id of its own. */
  #callFor(index: number | undefined, id: string): PendingCall {
    const isSame = (call: PendingCall) => id === '' || call.id === '' || call.id === id
    const known =
      index === undefined
        ? this.#calls.findLast((call) => id === '' || call.id === id)
        : this.#calls.findLast((call) => call.index === index && isSame(call))
    if (known) return known
    const call: PendingCall = { index, id, name: '', input: '' }
    this.#calls.push(call)
    return call
  }

  #reason(calls: number): 'stop' | 'tool-calls' | 'length' | 'filtered' {
    if (this.#finish === 'length') return 'length'
    if (this.#finish === 'content_filter') return 'filtered'
    return calls > 0 ? 'tool-calls' : 'stop'
  }
}

/** The calls of a whole message have no index. */
function numbered(message: Delta): Delta {
  return message.tool_calls
    ? { ...message, tool_calls: message.tool_calls.map((call, index) => ({ ...call, index })) }
    : message
}

/** The text of a chunk that says nothing else. */
function onlyText({ choices, usage, error }: Chunk): string | undefined {
  const [choice, second] = choices ?? []
  if (!choice?.delta || second || choice.finish_reason || usage || error) return undefined
  const { content, tool_calls, refusal, reasoning, reasoning_content } = choice.delta
  const saysMore = tool_calls || refusal || reasoning || reasoning_content
  return !saysMore && typeof content === 'string' ? content : undefined
}

/** The value, or undefined when the text is no JSON. No text at all is how calls without arguments are sent. */
function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: text.trim() === '' ? {} : JSON.parse(text) }
  } catch {
    return undefined
  }
}

function usageOf(wire: WireUsage): Usage | undefined {
  const counts: [keyof Usage, number | null | undefined][] = [
    ['input', wire.prompt_tokens],
    ['output', wire.completion_tokens],
    ['cachedInput', wire.prompt_tokens_details?.cached_tokens ?? wire.prompt_cache_hit_tokens ?? wire.cached_tokens],
    ['reasoning', wire.completion_tokens_details?.reasoning_tokens],
  ]
  const known = counts.filter(([, count]) => typeof count === 'number')
  return known.length > 0 ? (Object.fromEntries(known) as Usage) : undefined
}
