/**
 * Calls of tools as items of a response. A `function_call` asks the client to act: libraries run a tool of that name, or
 * fail. What the server has done itself is an `mcp_call`, which they show and leave alone.
 */
import type { Random, TurnEvent } from 'svc/sdk'
import { maskToolInput } from 'svc/sdk/terminal'
import type { Item, OutputEvent } from './output.ts'

type Started = Extract<TurnEvent, { type: 'tool.start' }>
type Completed = Extract<TurnEvent, { type: 'tool.complete' }>
type Mask = (text: string) => string

/** What a client sees as the server that the tools are of. */
const SERVER_LABEL = 'svc'

/** One item for each call, with its result. */
export class CallItems {
  readonly #items: Item[]
  readonly #random: Random
  readonly #mask: Mask
  /** Where in the output the calls under way are. */
  readonly #places: Map<string, number> = new Map()

  constructor(items: Item[], random: Random, mask: Mask) {
    this.#items = items
    this.#random = random
    this.#mask = mask
  }

  *start({ callId, name, input }: Started): Generator<OutputEvent> {
    const id = `mcp_${this.#random.hex(14)}`
    const json = JSON.stringify(maskToolInput(input ?? {}, this.#mask))
    const item = {
      id,
      type: 'mcp_call',
      status: 'in_progress',
      server_label: SERVER_LABEL,
      name,
      arguments: json,
      output: null,
      error: null,
      approval_request_id: null,
    }
    const index = this.#items.push(item) - 1
    this.#places.set(callId, index)
    const place = { item_id: id, output_index: index }
    yield ['response.output_item.added', { output_index: index, item: { ...item, arguments: '' } }]
    yield ['response.mcp_call.in_progress', place]
    yield ['response.mcp_call_arguments.delta', { ...place, delta: json }]
    yield ['response.mcp_call_arguments.done', { ...place, arguments: json }]
  }

  *complete({ callId, ok, text }: Completed): Generator<OutputEvent> {
    const index = this.#places.get(callId)
    const begun = index === undefined ? undefined : this.#items[index]
    if (index === undefined || !begun) return
    this.#places.delete(callId)
    const status = ok ? 'completed' : 'failed'
    const shown = this.#mask(text)
    const item: Item = { ...begun, status, ...(ok ? { output: shown } : { error: shown }) }
    this.#items[index] = item
    yield [`response.mcp_call.${status}`, { item_id: item.id, output_index: index }]
    yield ['response.output_item.done', { output_index: index, item }]
  }
}

/** Two items for each call, for clients that were written for this form. */
export class FunctionCallItems {
  readonly #items: Item[]
  readonly #random: Random
  readonly #mask: Mask

  constructor(items: Item[], random: Random, mask: Mask) {
    this.#items = items
    this.#random = random
    this.#mask = mask
  }

  *start({ callId, name, input }: Started): Generator<OutputEvent> {
    const id = `fc_${this.#random.hex(14)}`
    const json = JSON.stringify(maskToolInput(input ?? {}, this.#mask))
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

  *complete({ callId, text }: Completed): Generator<OutputEvent> {
    const id = `fco_${this.#random.hex(14)}`
    const output = this.#mask(text)
    const item = { id, type: 'function_call_output', call_id: callId, output, status: 'completed' }
    const index = this.#items.push(item) - 1
    yield ['response.output_item.added', { output_index: index, item: { ...item, status: 'in_progress' } }]
    yield ['response.output_item.done', { output_index: index, item }]
  }
}
