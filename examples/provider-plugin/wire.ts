/** From our messages to Ollama's and from its lines of JSON to events. */
import type { Message } from 'svc/sdk'
import type { ModelEvent, ModelRequest } from 'svc/sdk/provider'
import { failure } from './failure.ts'

/** One line of an answer, as far as it is used. */
interface Line {
  readonly error?: string
  readonly message?: {
    readonly content?: string
    readonly thinking?: string
    readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: unknown } }[]
  }
  readonly done?: boolean
  readonly done_reason?: string
  readonly prompt_eval_count?: number
  readonly eval_count?: number
}

/** The body of `POST /api/chat`. */
export function createBody({ model, messages, tools, maxOutputTokens }: ModelRequest): object {
  return {
    model,
    messages: messages.map(toWireMessage),
    tools: tools.map((tool) => ({ type: 'function', function: tool })),
    stream: true,
    ...(maxOutputTokens && { options: { num_predict: maxOutputTokens } }),
  }
}

function toWireMessage(message: Message): object {
  const content = { role: message.role, content: message.text }
  const images = 'images' in message && message.images ? { images: message.images.map(({ data }) => data) } : {}
  if (message.role !== 'assistant') return { ...content, ...images }
  const calls = message.toolCalls?.map(({ name, input }) => ({ function: { name, arguments: input } }))
  return { ...content, ...(calls && { tool_calls: calls }) }
}

/** Lines of text, however the bytes are cut. */
export async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines.filter(Boolean)
  }
  if (rest) yield rest
}

/** One answer, line by line. */
export class Answer {
  isOver = false
  #calls = 0
  #newId: () => string

  constructor(newId: () => string) {
    this.#newId = newId
  }

  /** The events of one line. Throws a `SyntaxError` when it is no JSON. */
  *take(text: string): Generator<ModelEvent> {
    const line = JSON.parse(text) as Line
    if (line.error !== undefined) {
      this.isOver = true
      yield { type: 'failed', failure: failure('server', `Ollama says: ${line.error}`) }
      return
    }
    if (line.message?.thinking) yield { type: 'reasoning', text: line.message.thinking }
    if (line.message?.content) yield { type: 'text', text: line.message.content }
    for (const { function: call } of line.message?.tool_calls ?? []) {
      this.#calls++
      yield { type: 'tool-call', call: { id: this.#newId(), name: call.name, input: call.arguments } }
    }
    if (line.done) yield* this.#end(line)
  }

  *#end(line: Line): Generator<ModelEvent> {
    this.isOver = true
    const [input, output] = [line.prompt_eval_count, line.eval_count]
    yield { type: 'usage', usage: { ...(input !== undefined && { input }), ...(output !== undefined && { output }) } }
    if (this.#calls > 0) yield { type: 'end', reason: 'tool-calls' }
    else yield { type: 'end', reason: line.done_reason === 'length' ? 'length' : 'stop' }
  }
}
