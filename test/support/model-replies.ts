/**
 * What the fake model server can answer, and the bytes of it. Chunks are those of the public chat completions
 * streaming reference (platform.openai.com/docs/api-reference/chat-streaming): a first one with the role, deltas,
 * one with `finish_reason`, one without choices for `usage` when `stream_options.include_usage` asks for it, `[DONE]`.
 * `reasoning_content` as llama.cpp and LM Studio send it.
 */

/** A tool call of the fake model. `arguments` as text is sent as it is, valid JSON or not. */
export interface FakeCall {
  readonly id?: string
  readonly name: string
  readonly arguments?: unknown
  /** Deltas that the arguments are split over (default 1). */
  readonly pieces?: number
}

/** One scripted answer; a string is its text in one delta. */
export type Reply =
  | string
  | {
      /** One delta for each piece. */
      readonly text?: string | readonly string[]
      /** This many deltas of one word each, after `text`. */
      readonly deltas?: number
      readonly reasoning?: string | readonly string[]
      readonly calls?: readonly FakeCall[]
      /** Reasoning that only the service can read; OpenAI's `encrypted_content`. */
      readonly sealed?: string
      /** Pictures of the model, base64 PNGs. */
      readonly images?: readonly string[]
      /** `none`: the server does not report it. Default: 7 in, one out for each delta. */
      readonly usage?: Readonly<Record<string, unknown>> | 'none'
      readonly finish?: 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call'
      /** Milliseconds before the first byte. */
      readonly delayMs?: number
      /** Milliseconds between the events of the stream; left out, it comes at once. */
      readonly paceMs?: number
      readonly fault?: Fault
    }

/**
 * What goes wrong. `cut` and `stall` happen after half of the answer's bytes, `slow` sends them one by one, `error-event`
 * is an error in the middle of the stream, the next three are answers of another kind with status 200.
 */
export type Fault =
  | 'cut'
  | 'stall'
  | 'slow'
  | 'no-done'
  | 'no-finish'
  | 'error-event'
  | 'garbage'
  | 'html'
  | 'wrong-json'
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      /** An error message in OpenAI's shape, or the whole body. */
      readonly message?: string
      readonly code?: string
      readonly type?: string
      readonly body?: string
    }

/** An answer as data. */
export type FullReply = Exclude<Reply, string>

const MODEL = 'fake-model'
const HEAD = { id: 'chatcmpl-fake', created: 1_750_000_000, model: MODEL }

/** A reply with its bytes made once, so that a request costs one write. */
export class PreparedReply {
  readonly reply: FullReply
  #streams: Map<boolean, Buffer> = new Map()

  constructor(reply: Reply) {
    this.reply = typeof reply === 'string' ? { text: reply } : reply
  }

  /** The server-sent events. */
  stream(includeUsage: boolean): Buffer {
    const known = this.#streams.get(includeUsage)
    if (known) return known
    const bytes = Buffer.from(createStream(this.reply, includeUsage))
    this.#streams.set(includeUsage, bytes)
    return bytes
  }

  /** The answer to a request that does not stream. */
  whole(): string {
    const { reply } = this
    return JSON.stringify({
      ...HEAD,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: [...pieces(reply.text), ...words(reply.deltas)].join(''),
            ...(reply.reasoning === undefined ? {} : { reasoning_content: pieces(reply.reasoning).join('') }),
            ...(reply.calls ? { tool_calls: reply.calls.map((call, index) => wholeCall(call, index)) } : {}),
          },
          logprobs: null,
          finish_reason: getFinishReason(reply),
        },
      ],
      ...(reply.usage === 'none' ? {} : { usage: createUsage(reply) }),
    })
  }
}

function createStream(reply: FullReply, includeUsage: boolean): string {
  const events = [
    delta({ role: 'assistant', content: '' }),
    ...pieces(reply.reasoning).map((text) => delta({ reasoning_content: text })),
    ...[...pieces(reply.text), ...words(reply.deltas)].map((text) => delta({ content: text })),
    ...(reply.images ?? []).map((data) =>
      delta({ images: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }] }),
    ),
    ...(reply.calls ?? []).flatMap(callDeltas),
  ]
  if (reply.fault === 'garbage') events.push('data: {"choices": [oops\n\n')
  if (reply.fault === 'error-event')
    events.push(event({ error: { message: 'The engine fell over', type: 'server_error' } }))
  if (reply.fault !== 'no-finish') events.push(choice({}, getFinishReason(reply)))
  if (includeUsage && reply.usage !== 'none')
    events.push(event({ ...HEAD, object: 'chat.completion.chunk', choices: [], usage: createUsage(reply) }))
  if (reply.fault !== 'no-done' && reply.fault !== 'no-finish') events.push('data: [DONE]\n\n')
  return events.join('')
}

function callDeltas(call: FakeCall, index: number): string[] {
  const text = formatArguments(call)
  const size = Math.ceil(text.length / (call.pieces ?? 1)) || 1
  const first = { ...wholeCall(call, index), index, function: { name: call.name, arguments: '' } }
  const events = [delta({ tool_calls: [first] })]
  for (let start = 0; start < text.length; start += size)
    events.push(delta({ tool_calls: [{ index, function: { arguments: text.slice(start, start + size) } }] }))
  return events
}

function wholeCall(call: FakeCall, index: number) {
  return {
    id: call.id ?? `call_${index}`,
    type: 'function',
    function: { name: call.name, arguments: formatArguments(call) },
  }
}

/** The arguments as text. */
export function formatArguments({ arguments: input = {} }: FakeCall): string {
  return typeof input === 'string' ? input : JSON.stringify(input)
}

function getFinishReason(reply: FullReply): string {
  return reply.finish ?? (reply.calls?.length ? 'tool_calls' : 'stop')
}

function createUsage(reply: FullReply): Readonly<Record<string, unknown>> {
  if (typeof reply.usage === 'object') return reply.usage
  const output = pieces(reply.reasoning).length + pieces(reply.text).length + (reply.deltas ?? 0)
  return { prompt_tokens: 7, completion_tokens: output, total_tokens: 7 + output }
}

/** The pieces of a text. */
export function pieces(text: string | readonly string[] | undefined): readonly string[] {
  if (text === undefined) return []
  return typeof text === 'string' ? [text] : text
}

/** This many words. */
export function words(count = 0): string[] {
  return Array.from({ length: count }, (_, index) => `word${index % 100} `)
}

function delta(content: object): string {
  return choice(content, null)
}

function choice(content: object, finish: string | null): string {
  const choices = [{ index: 0, delta: content, logprobs: null, finish_reason: finish }]
  return event({ ...HEAD, object: 'chat.completion.chunk', choices })
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`
}
