/**
 * The output of a response as it grows, and the events that say so, in the order of the public reference
 * (https://platform.openai.com/docs/api-reference/responses-streaming).
 */
import type { Random, TurnEvent } from 'svc/sdk'
import { shownInput } from './labels.ts'
import { Outcome } from './turns.ts'

/** An event without its number. */
export type OutputEvent = readonly [type: string, fields: object]

type Item = Readonly<Record<string, unknown>> & { readonly id: string }

export class Output {
  readonly outcome: Outcome = new Outcome()
  readonly #random: Random
  readonly #mask: (text: string) => string
  readonly #items: Item[] = []
  /** The message that is being written; it is the last item. */
  #open: { readonly id: string; readonly index: number; text: string } | undefined

  constructor(random: Random, mask: (text: string) => string) {
    this.#random = random
    this.#mask = mask
  }

  /** All that was said and done, in order. */
  items(): readonly Item[] {
    const { text = '' } = this.#open ?? {}
    return this.#open ? [...this.#items, message(this.#open.id, text, 'in_progress')] : [...this.#items]
  }

  /** Takes an event of the turn in; yields what a client is told. */
  *take(event: TurnEvent): Generator<OutputEvent> {
    const shown = this.outcome.take(event)
    if (shown) yield* this.#say(this.#open ? shown : shown.trimStart())
    if (event.type === 'tool.start' && !event.name.startsWith('_')) {
      yield* this.close()
      yield* this.#call(event.callId, event.name, JSON.stringify(shownInput(event.input ?? {}, this.#mask)))
    }
    if (event.type === 'tool.complete' && !event.name.startsWith('_')) {
      yield* this.close()
      yield* this.#result(event.callId, event.text)
    }
  }

  /** Ends the message that is being written. */
  *close(): Generator<OutputEvent> {
    if (!this.#open) return
    const { id, index, text } = this.#open
    this.#open = undefined
    const item = message(id, text, 'completed')
    this.#items.push(item)
    const place = { item_id: id, output_index: index, content_index: 0 }
    yield ['response.output_text.done', { ...place, text, logprobs: [] }]
    yield ['response.content_part.done', { ...place, part: textPart(text) }]
    yield ['response.output_item.done', { output_index: index, item }]
  }

  *#say(delta: string): Generator<OutputEvent> {
    if (!this.#open) {
      const [id, index] = [`msg_${this.#random.hex(14)}`, this.#items.length]
      this.#open = { id, index, text: '' }
      yield [
        'response.output_item.added',
        { output_index: index, item: { ...message(id, '', 'in_progress'), content: [] } },
      ]
      const part = { item_id: id, output_index: index, content_index: 0, part: textPart('') }
      yield ['response.content_part.added', part]
    }
    const open = this.#open
    open.text += delta
    const place = { item_id: open.id, output_index: open.index, content_index: 0 }
    yield ['response.output_text.delta', { ...place, delta, logprobs: [] }]
  }

  *#call(callId: string, name: string, json: string): Generator<OutputEvent> {
    const id = `fc_${this.#random.hex(14)}`
    const item = { id, type: 'function_call', status: 'completed', name, call_id: callId, arguments: json }
    const index = this.#items.push(item) - 1
    yield [
      'response.output_item.added',
      { output_index: index, item: { ...item, status: 'in_progress', arguments: '' } },
    ]
    yield ['response.function_call_arguments.delta', { item_id: id, output_index: index, delta: json }]
    yield ['response.function_call_arguments.done', { item_id: id, output_index: index, name, arguments: json }]
    yield ['response.output_item.done', { output_index: index, item }]
  }

  *#result(callId: string, text: string): Generator<OutputEvent> {
    const id = `fco_${this.#random.hex(14)}`
    const item = { id, type: 'function_call_output', call_id: callId, output: text, status: 'completed' }
    const index = this.#items.push(item) - 1
    yield ['response.output_item.added', { output_index: index, item: { ...item, status: 'in_progress' } }]
    yield ['response.output_item.done', { output_index: index, item }]
  }
}

function message(id: string, text: string, status: string): Item {
  return { id, type: 'message', role: 'assistant', status, content: [textPart(text)] }
}

function textPart(text: string): object {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}
