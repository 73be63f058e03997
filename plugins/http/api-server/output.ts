/**
 * The output of a response as it grows, and the events that say so, in the order of the public reference
 * (https://platform.openai.com/docs/api-reference/responses-streaming).
 */
import { type Random, type TurnEvent, TurnOutcome } from 'svc/sdk'
import { CallItems, FunctionCallItems } from './call-items.ts'
import { toQuestionEvent } from './question-format.ts'

/** An event without its number. */
export type OutputEvent = readonly [type: string, fields: object]

/** Says how the response is; with a member `svc`, also what is asked. */
export const PROGRESS = 'response.in_progress'

export type Item = Readonly<Record<string, unknown>> & { readonly id: string }

/** How calls of tools are shown: as the server's own, or as older clients of svc know them. */
export type CallForm = 'mcp_call' | 'function_call'

export class Output {
  readonly outcome: TurnOutcome = new TurnOutcome()
  readonly #random: Random
  readonly #mask: (text: string) => string
  readonly #items: Item[] = []
  readonly #calls: CallItems | FunctionCallItems
  /** The message that is being written; it is the last item. */
  #open: { readonly id: string; readonly index: number; text: string } | undefined

  constructor(random: Random, mask: (text: string) => string, form: CallForm = 'mcp_call') {
    this.#random = random
    this.#mask = mask
    this.#calls = new (form === 'mcp_call' ? CallItems : FunctionCallItems)(this.#items, random, mask)
  }

  /** All that was said and done, in order. Once the turn is over, what has no end is incomplete. */
  items(isOver = false): readonly Item[] {
    const unfinished = isOver ? 'incomplete' : 'in_progress'
    const { text = '' } = this.#open ?? {}
    const all = this.#open ? [...this.#items, message(this.#open.id, text, unfinished)] : this.#items
    return all.map((item) => (item['status'] === 'in_progress' ? { ...item, status: unfinished } : item))
  }

  /** Takes an event of the turn; yields events for the client. */
  *take(event: TurnEvent): Generator<OutputEvent> {
    const shown = this.outcome.take(event)
    if (shown) yield* this.#say(this.#open ? shown : shown.trimStart())
    const asked = toQuestionEvent(event, this.#mask)
    // Helpers of public libraries break at types that they do not know; this one they take at any time.
    if (asked) yield [PROGRESS, { svc: { event: asked[0], ...asked[1] } }]
    if ((event.type !== 'tool.start' && event.type !== 'tool.complete') || event.name.startsWith('_')) return
    yield* this.close()
    yield* event.type === 'tool.start' ? this.#calls.start(event) : this.#calls.complete(event)
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
}

function message(id: string, text: string, status: string): Item {
  return { id, type: 'message', role: 'assistant', status, content: [textPart(text)] }
}

function textPart(text: string): object {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}
