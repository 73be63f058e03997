/** One call of a model, and what came of it. */
import type { ModelEvent, ModelFailure, ModelProvider, ModelRequest } from 'svc/sdk/provider'

/** A request with defaults. */
export function request(more: Partial<ModelRequest> = {}): ModelRequest {
  const messages = [{ role: 'user', text: 'Hello' }] as const
  return { model: 'fake-model', messages, tools: [], signal: new AbortController().signal, ...more }
}

/** All events of one call. */
export async function ask(asked: ModelProvider, more: Partial<ModelRequest> = {}): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const batch of asked.stream(request(more))) events.push(...[batch].flat())
  return events
}

/** How a call failed; fails the test when it did not. */
export async function collectFailure(asked: ModelProvider, more: Partial<ModelRequest> = {}): Promise<ModelFailure> {
  const last = (await ask(asked, more)).at(-1)
  if (last?.type !== 'failed') throw new Error(`it did not fail, but ended with ${JSON.stringify(last)}`)
  return last.failure
}

/** The text of events, and the reasoning in brackets; how it was cut does not show. */
export function joinText(events: readonly ModelEvent[]): string {
  return events
    .map((event) => (event.type === 'text' ? event.text : event.type === 'reasoning' ? `(${event.text})` : ''))
    .join('')
    .replaceAll(')(', '')
}

/** Text in a row as one event: where the network cut it is not told. */
export function joined(events: readonly ModelEvent[]): ModelEvent[] {
  const all: ModelEvent[] = []
  for (const event of events) {
    const last = all.at(-1)
    if (event.type === 'text' && last?.type === 'text') all.splice(-1, 1, { ...event, text: last.text + event.text })
    else if (event.type === 'reasoning' && last?.type === 'reasoning')
      all.splice(-1, 1, { ...event, text: last.text + event.text })
    else all.push(event)
  }
  return all
}
