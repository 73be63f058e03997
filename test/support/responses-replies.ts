/**
 * The bytes of a scripted answer as the Responses API streams them, after the public reference
 * (platform.openai.com/docs/api-reference/responses-streaming): every item is added, filled by deltas and done, and the
 * last event has the whole response.
 */
import type { ResponseOutputItem, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { type FakeCall, type FullReply, formatArguments, pieces, words } from './model-replies.ts'

/** An event without its number, which is given in order. */
type Unnumbered = ResponseStreamEvent extends infer Event
  ? Event extends { sequence_number: number }
    ? Omit<Event, 'sequence_number'>
    : never
  : never

/** The server-sent events of a reply. */
export function responsesStream(reply: FullReply): string {
  const items = [...thoughts(reply), ...texts(reply), ...pictures(reply), ...(reply.calls ?? []).map(callItem)]
  const head = { type: 'response.created', response: whole(reply, [], 'in_progress') }
  const events: object[] = [head, ...items.flatMap(({ events }, place) => events(place))]
  if (reply.fault === 'error-event')
    events.push({
      type: 'error',
      error: { type: 'server_error', code: 'server_error', message: 'The engine fell over' },
    })
  const output = items.map(({ item }) => item)
  if (reply.fault !== 'no-finish' && reply.fault !== 'no-done') events.push(last(reply, output))
  const lines = events.map((event, number) => line({ ...event, sequence_number: number }))
  if (reply.fault === 'garbage') lines.splice(-1, 0, 'data: {"type": [oops\n\n')
  return lines.join('')
}

function line(event: object): string {
  const { type } = event as { type?: string }
  return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`
}

interface Item {
  readonly item: ResponseOutputItem
  events(place: number): Unnumbered[]
}

function thoughts({ reasoning, sealed }: FullReply): Item[] {
  const summary = pieces(reasoning)
  if (summary.length === 0 && sealed === undefined) return []
  const id = 'rs_fake'
  const part = { type: 'summary_text' as const, text: summary.join('') }
  const item = {
    id,
    type: 'reasoning' as const,
    summary: summary.length > 0 ? [part] : [],
    ...(sealed === undefined ? {} : { encrypted_content: sealed }),
  }
  const at = (place: number) => ({ item_id: id, output_index: place, summary_index: 0 })
  const events = (place: number): Unnumbered[] => [
    { type: 'response.output_item.added', output_index: place, item: { ...item, summary: [] } },
    { type: 'response.reasoning_summary_part.added', ...at(place), part: { type: 'summary_text', text: '' } },
    ...summary.map((delta) => ({ type: 'response.reasoning_summary_text.delta' as const, ...at(place), delta })),
    { type: 'response.reasoning_summary_text.done', ...at(place), text: part.text },
    { type: 'response.output_item.done', output_index: place, item },
  ]
  return [{ item, events }]
}

function texts({ text, deltas }: FullReply): Item[] {
  const said = [...pieces(text), ...words(deltas)]
  if (said.length === 0) return []
  const id = 'msg_fake'
  const part = { type: 'output_text' as const, text: said.join(''), annotations: [], logprobs: [] }
  const item = {
    id,
    type: 'message' as const,
    role: 'assistant' as const,
    status: 'completed' as const,
    content: [part],
  }
  const at = (place: number) => ({ item_id: id, output_index: place, content_index: 0 })
  const events = (place: number): Unnumbered[] => [
    { type: 'response.output_item.added', output_index: place, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...at(place), part: { ...part, text: '' } },
    ...said.map((delta) => ({ type: 'response.output_text.delta' as const, ...at(place), delta, logprobs: [] })),
    { type: 'response.output_text.done', ...at(place), text: part.text, logprobs: [] },
    { type: 'response.output_item.done', output_index: place, item },
  ]
  return [{ item, events }]
}

function pictures({ images = [] }: FullReply): Item[] {
  return images.map((result, index): Item => {
    const item = { id: `ig_${index}`, type: 'image_generation_call' as const, status: 'completed' as const, result }
    return {
      item,
      events: (place) => [
        {
          type: 'response.output_item.added',
          output_index: place,
          item: { ...item, status: 'in_progress', result: null },
        },
        { type: 'response.output_item.done', output_index: place, item },
      ],
    }
  })
}

function callItem(call: FakeCall, index: number): Item {
  const id = `fc_${index}`
  const input = formatArguments(call)
  const size = Math.ceil(input.length / (call.pieces ?? 1)) || 1
  const item = {
    id,
    type: 'function_call' as const,
    call_id: call.id ?? `call_${index}`,
    name: call.name,
    arguments: input,
    status: 'completed' as const,
  }
  const cuts = Array.from({ length: Math.ceil(input.length / size) }, (_, at) =>
    input.slice(at * size, (at + 1) * size),
  )
  const events = (place: number): Unnumbered[] => {
    const at = { item_id: id, output_index: place }
    return [
      {
        type: 'response.output_item.added',
        output_index: place,
        item: { ...item, arguments: '', status: 'in_progress' },
      },
      ...cuts.map((delta) => ({ type: 'response.function_call_arguments.delta' as const, ...at, delta })),
      { type: 'response.function_call_arguments.done', ...at, name: call.name, arguments: input },
      { type: 'response.output_item.done', output_index: place, item },
    ]
  }
  return { item, events }
}

const REASONS: Readonly<Record<string, string>> = { length: 'max_output_tokens', content_filter: 'content_filter' }

function last(reply: FullReply, output: readonly ResponseOutputItem[]): object {
  const reason = REASONS[reply.finish ?? '']
  if (reason === undefined) return { type: 'response.completed', response: whole(reply, output, 'completed') }
  const response = { ...whole(reply, output, 'incomplete'), incomplete_details: { reason } }
  return { type: 'response.incomplete', response }
}

/** The response as a whole: what a server that does not stream answers. */
export function whole(reply: FullReply, output: readonly ResponseOutputItem[], status: string): object {
  const count = pieces(reply.reasoning).length + pieces(reply.text).length + (reply.deltas ?? 0)
  const usage = { input_tokens: 7, output_tokens: count, total_tokens: 7 + count }
  const counted = typeof reply.usage === 'object' ? reply.usage : usage
  return {
    id: 'resp_fake',
    object: 'response',
    created_at: 1_750_000_000,
    model: 'fake-model',
    status,
    error: null,
    incomplete_details: null,
    output,
    ...(reply.usage === 'none' || status === 'in_progress' ? {} : { usage: counted }),
  }
}
