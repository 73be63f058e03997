/** The provider `demo`: a model whose answers are a script, and whose tool calls are real. */
import { errorMessage } from 'svc/sdk'
import type { ModelEvent, ModelProvider, ModelRequest } from 'svc/sdk/provider'

/** Characters of one piece of the stream, about. */
const PIECE = 24
/** A rough measure: there is no tokenizer, because there is no model. */
const CHARACTERS_PER_TOKEN = 4

/** Makes the provider. `now` gives milliseconds since 1970. */
export function demoProvider(now: () => number): ModelProvider {
  return {
    name: 'demo',
    label: 'Scripted demo (no AI)',
    status: async () => ({ ready: true, detail: 'always there, works offline' }),
    models: async () => [{ id: 'demo', label: 'Scripted demo' }],
    stream: (request) => stream(request, now),
  }
}

async function* stream(request: ModelRequest, now: () => number): AsyncGenerator<ModelEvent> {
  try {
    const { reply } = await import('./reply.ts')
    const { text, calls } = reply(request, now)
    for (const piece of pieces(text)) {
      if (request.signal.aborted) return yield aborted()
      yield { type: 'text', text: piece }
    }
    if (request.signal.aborted) return yield aborted()
    for (const call of calls) yield { type: 'tool-call', call }
    yield { type: 'usage', usage: { input: tokens(request.messages), output: tokens([text, calls]) } }
    yield { type: 'end', reason: calls.length > 0 ? 'tool-calls' : 'stop' }
  } catch (error) {
    const message = `The demo model failed: ${errorMessage(error)}`
    yield { type: 'failed', failure: { kind: 'unknown', message, retryable: false } }
  }
}

/** The text in pieces of a few words; no character is torn apart. */
function pieces(text: string): readonly string[] {
  return text.match(new RegExp(`[^]{1,${PIECE}}(?:(?<=\\s)|(?=\\s)|$)|[^]{1,${PIECE}}`, 'gu')) ?? []
}

function tokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN)
}

function aborted(): ModelEvent {
  return { type: 'failed', failure: { kind: 'aborted', message: 'interrupted', retryable: false } }
}
