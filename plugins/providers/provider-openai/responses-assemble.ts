/**
 * From the events of the Responses API to model events
 * (https://platform.openai.com/docs/api-reference/responses-streaming).
 */
import type {
  Response,
  ResponseFunctionToolCall,
  ResponseOutputItem,
  ResponseOutputMessage,
  ResponseReasoningItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses'
import { tryParseJson } from 'svc/sdk'
import {
  AnswerBuilder,
  type ModelEvent,
  type ProviderBlock,
  type ProviderMetadata,
  type StreamParser,
  toProviderMetadata,
} from 'svc/sdk/provider'
import type { CatalogEntry } from './catalog.ts'
import { readTier, readUsage } from './usage.ts'

/** Events as they may come: the `type` is known, the rest may be missing. */
type WireEvent = {
  [Type in ResponseStreamEvent['type']]: Partial<Extract<ResponseStreamEvent, { type: Type }>> & { type: Type }
}[ResponseStreamEvent['type']]

interface PendingCall {
  readonly id: string
  readonly name: string
  input: string
}

/** One answer in the making. */
export class ResponsesAnswer implements StreamParser {
  done = false
  error: unknown
  garbled: string | undefined
  recognised = false
  #model: string
  #entry: Pick<CatalogEntry, 'id' | 'cost'>
  #parts: AnswerBuilder
  /** By the place in the output. */
  #calls: Map<number, PendingCall> = new Map()
  /** Lengths of the texts that came in deltas. */
  #texts: Map<number, number> = new Map()
  #thoughts: Set<number> = new Set()
  #ended: Map<number, ResponseOutputItem> = new Map()
  #items: Map<number, ProviderBlock> = new Map()
  #response: Partial<Response> | undefined

  constructor(model: string, entry: Pick<CatalogEntry, 'id' | 'cost'>, newId: () => string) {
    this.#model = model
    this.#entry = entry
    this.#parts = new AnswerBuilder(newId)
  }

  get finished(): boolean {
    return this.#response !== undefined
  }

  /** Takes the data of one event, or a whole response of a server that did not stream. */
  add(data: string): void {
    if (data.startsWith('[DONE]')) {
      this.done = true
      return
    }
    const value = tryParseJson(data)?.value
    if (typeof value !== 'object' || value === null) this.garbled ??= data
    else if ('object' in value && value.object === 'response') this.#finish(value as Partial<Response>)
    else this.#addEvent(value as WireEvent)
  }

  take(): ModelEvent[] {
    return this.#parts.take()
  }

  end(): ModelEvent[] {
    return this.#parts.end({
      calls: inOrder(this.#calls),
      usage: readUsage(this.#response?.usage ?? {}, this.#entry.cost),
      tier: readTier(this.#response?.service_tier),
      carry: this.#carry(),
      stopped: this.#stopped(),
    })
  }

  /** Events of tools that the service runs are ignored. */
  #addEvent(event: WireEvent): void {
    if (String(event.type).startsWith('response.')) this.recognised = true
    const place = 'output_index' in event ? (event.output_index ?? 0) : 0
    if (event.type === 'error' || 'error' in event) this.error ??= readStreamError(event)
    else if ('delta' in event && typeof event.delta === 'string') this.#addDelta(event.type, place, event.delta)
    else if ('item' in event && event.item) this.#addItem(place, event.item, event.type)
    else this.#addRest(event, place)
  }

  #addDelta(type: WireEvent['type'], place: number, delta: string): void {
    if (type === 'response.output_text.delta' || type === 'response.refusal.delta') this.#addText(place, delta)
    else if (type === 'response.function_call_arguments.delta') this.#addArguments(place, delta)
    else if (type === 'response.reasoning_summary_text.delta' || type === 'response.reasoning_text.delta')
      this.#addThought(place, delta)
  }

  #addRest(event: WireEvent, place: number): void {
    switch (event.type) {
      case 'response.reasoning_summary_part.added':
        if (event.summary_index) this.#addThought(place, '\n\n')
        return
      case 'response.completed':
      case 'response.incomplete':
        this.#finish(event.response ?? {})
        return
      case 'response.failed':
        this.error ??= event.response?.error ?? 'no reason given'
    }
  }

  /** Messages stand apart as paragraphs. */
  #addText(place: number, piece: string): void {
    const known = this.#texts.get(place)
    const text = known === undefined && this.#texts.size > 0 ? `\n\n${piece}` : piece
    this.#parts.append('text', text)
    this.#texts.set(place, (known ?? 0) + text.length)
  }

  #addThought(place: number, text: string): void {
    this.#thoughts.add(place)
    this.#parts.append('reasoning', text)
  }

  #addArguments(place: number, piece: string): void {
    const call = this.#calls.get(place)
    if (call) call.input += piece
  }

  #addItem(place: number, item: ResponseOutputItem, type: WireEvent['type']): void {
    const isDone = type === 'response.output_item.done'
    if (isDone) this.#ended.set(place, item)
    if (item.type === 'function_call') this.#addCall(place, item)
    else if (!isDone) return
    else if (item.type === 'message') this.#endMessage(place, item)
    else if (item.type === 'reasoning') this.#endReasoning(place, item)
    else if (item.type === 'image_generation_call' && item.result) this.#parts.add(toImageEvent(item, item.result))
  }

  /** Comes twice: when it begins, mostly without arguments, and when it is complete. */
  #addCall(place: number, { call_id: id = '', name = '', arguments: input }: ResponseFunctionToolCall): void {
    this.#calls.set(place, { id, name, input: input || (this.#calls.get(place)?.input ?? '') })
    this.#items.set(place, { type: 'call', id })
  }

  #endMessage(place: number, { content = [], phase }: ResponseOutputMessage): void {
    const whole = content.map((part) => (part.type === 'refusal' ? part.refusal : part.text)).join('')
    if (!this.#texts.has(place) && whole !== '') this.#addText(place, whole)
    this.#items.set(place, { type: 'text', length: this.#texts.get(place) ?? 0, ...(phase ? { phase } : {}) })
  }

  #endReasoning(place: number, { id, summary = [], encrypted_content: sealed }: ResponseReasoningItem): void {
    const whole = summary.map(({ text }) => text).join('\n\n')
    if (!this.#thoughts.has(place) && whole !== '') this.#addThought(place, whole)
    // What is not sealed is of no use to a service that has kept nothing.
    if (sealed) this.#items.set(place, { type: 'reasoning', id, summary, encrypted_content: sealed })
  }

  #finish(response: Partial<Response>): void {
    this.recognised = true
    this.done = true
    this.#response = response
    if (response.error) this.error ??= response.error
    // A server that did not stream its items has them here. Places are counted otherwise here by some.
    const begun = [...this.#ended]
    for (const [place, item] of (response.output ?? []).entries()) {
      if (begun.some(([at, ended]) => isSameItem(ended, item, at === place))) continue
      const isTaken = this.#ended.has(place)
      this.#addItem(isTaken ? Math.max(...this.#ended.keys()) + 1 : place, item, 'response.output_item.done')
    }
  }

  #stopped(): 'stop' | 'length' | 'filtered' {
    const reason = this.#response?.incomplete_details?.reason
    if (reason === 'content_filter') return 'filtered'
    return reason === undefined && this.#response?.status !== 'incomplete' ? 'stop' : 'length'
  }

  #carry(): ProviderMetadata | undefined {
    return toProviderMetadata({ provider: this.#entry.id, model: this.#model }, inOrder(this.#items))
  }
}

/**
 * Whether two items are the same one: by an id, by what they say where a service gives new ids at the end, or by their
 * place.
 */
function isSameItem(one: ResponseOutputItem, other: ResponseOutputItem, isSamePlace: boolean): boolean {
  if (one.type !== other.type) return false
  const hasSame = (key: string) => readText(one, key) !== undefined && readText(one, key) === readText(other, key)
  if (isSamePlace || hasSame('id') || hasSame('call_id')) return true
  return formatItemContent(one) === formatItemContent(other)
}

function readText(item: object, key: string): unknown {
  return (item as Record<string, unknown>)[key] || undefined
}

function formatItemContent(item: ResponseOutputItem): string {
  return JSON.stringify(item, (key, value) => (/^(id|call_id|status|encrypted_content)$/.test(key) ? undefined : value))
}

/** The public reference has the fields side by side; the service itself wraps them. */
function readStreamError(event: object): unknown {
  return 'error' in event && event.error ? event.error : event
}

function toImageEvent(item: object, data: string): ModelEvent {
  const format = 'output_format' in item ? String(item.output_format) : 'png'
  return { type: 'image', image: { mediaType: `image/${format}`, data } }
}

function inOrder<T>(map: ReadonlyMap<number, T>): T[] {
  return [...map].sort(([one], [other]) => one - other).map(([, item]) => item)
}
