/** The events of a response that is over, made from what is stored of it. */
import { formatServerEvent } from 'svc/sdk/web'
import { DONE } from './envelope.ts'

interface Whole {
  readonly status: string
}

/**
 * Pieces are not kept, so the numbers are others than those of the first time. A client that has some of them gets the
 * last event, which has everything.
 */
export async function* replayResponse(response: Whole, from: number): AsyncGenerator<string> {
  const { status } = response
  const last = `response.${status === 'cancelled' ? 'incomplete' : status}`
  let count = from
  const tell = (type: string, fields: object) =>
    formatServerEvent({ type, sequence_number: count++, ...fields }, { name: type })
  if (from === 0) {
    const begun = { ...response, status: 'in_progress', output: [], usage: null, completed_at: null }
    yield tell('response.created', { response: begun })
    yield tell('response.in_progress', { response: begun })
    const { output } = response as unknown as { readonly output: readonly Record<string, unknown>[] }
    for (const [index, item] of output.entries())
      for (const [type, fields] of createItemEvents(item, index)) yield tell(type, fields)
  }
  yield tell(last, { response })
  yield DONE
}

function* createItemEvents(
  item: Readonly<Record<string, unknown>>,
  index: number,
): Generator<readonly [string, object]> {
  const parts = item['type'] === 'message' ? (item['content'] as readonly { readonly text: string }[]) : []
  const bare = item['type'] === 'message' ? { content: [] } : {}
  yield ['response.output_item.added', { output_index: index, item: { ...item, status: 'in_progress', ...bare } }]
  for (const [at, part] of parts.entries()) {
    const place = { item_id: item['id'], output_index: index, content_index: at }
    yield ['response.content_part.added', { ...place, part: { ...part, text: '' } }]
    yield ['response.output_text.delta', { ...place, delta: part.text, logprobs: [] }]
    yield ['response.output_text.done', { ...place, text: part.text, logprobs: [] }]
    yield ['response.content_part.done', { ...place, part }]
  }
  yield ['response.output_item.done', { output_index: index, item }]
}
