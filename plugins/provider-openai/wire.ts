/**
 * From a conversation to the body of `POST /chat/completions`
 * (https://platform.openai.com/docs/api-reference/chat/create). Only fields that every compatible server knows.
 */
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions'
import type { Image, Message, ModelRequest, ToolDefinition } from 'svc/sdk'

/** The field that carries the output limit: OpenAI has renamed it, compatible servers have not. */
export type LimitField = 'max_tokens' | 'max_completion_tokens'

/** Where services differ in what they accept. */
export interface Dialect {
  readonly limitField: LimitField
  /** It reports usage without being asked, and refuses `stream_options`. */
  readonly usageUnasked?: true
  /** Ids of tool calls must be this many letters and digits, also those that another service gave. */
  readonly callIdLength?: number
  /** Wants the reasoning behind earlier tool calls back, in this field. */
  readonly reasoningField?: 'reasoning_content'
}

/** What messages and tools, which never change, are on the wire: a conversation is sent again with each of its steps. */
const written = new WeakMap<Dialect, WeakMap<object, string>>()

/** The body as JSON; the same request always gives the same bytes. */
export function requestBody(request: ModelRequest, dialect: Dialect): string {
  const { model, messages, tools, maxOutputTokens } = request
  const write = writer(dialect)
  const parts = [`"model":${JSON.stringify(model)}`, `"messages":[${wireMessages(messages, dialect, write).join(',')}]`]
  if (tools.length > 0) parts.push(`"tools":[${tools.map((tool) => write(tool, wireTool)).join(',')}]`)
  if (maxOutputTokens !== undefined) parts.push(`"${dialect.limitField}":${maxOutputTokens}`)
  parts.push(dialect.usageUnasked ? '"stream":true' : '"stream":true,"stream_options":{"include_usage":true}')
  return `{${parts.join(',')}}`
}

type Write = <T extends object>(item: T, wire: (item: T) => object) => string

/** Writes each thing once. */
function writer(dialect: Dialect): Write {
  const known = written.get(dialect) ?? new WeakMap<object, string>()
  written.set(dialect, known)
  return (item, wire) => {
    const before = known.get(item)
    if (before !== undefined) return before
    const text = JSON.stringify(wire(item))
    known.set(item, text)
    return text
  }
}

/**
 * One system message, first: many chat templates refuse another place or a second one.
 * Images of tools follow as a user message, because a tool message may hold text only.
 */
function wireMessages(messages: readonly Message[], dialect: Dialect, write: Write): string[] {
  const system = messages.flatMap((message) => (message.role === 'system' ? [message.text] : []))
  const wire = system.length > 0 ? [JSON.stringify({ role: 'system', content: system.join('\n\n') })] : []
  let images: ChatCompletionContentPart[] = []
  const pushImages = () => {
    if (images.length > 0) wire.push(JSON.stringify({ role: 'user', content: images }))
    images = []
  }
  for (const message of messages) {
    if (message.role === 'system') continue
    if (message.role !== 'tool') pushImages()
    wire.push(write(message, (each) => wireMessage(each, dialect)))
    if (message.role === 'tool' && message.images?.length)
      images.push({ type: 'text', text: `Images from tool call ${message.callId}:` }, ...message.images.map(wireImage))
  }
  pushImages()
  return wire
}

function wireMessage(message: Exclude<Message, { role: 'system' }>, dialect: Dialect): ChatCompletionMessageParam {
  if (message.role === 'assistant') return wireAssistant(message, dialect)
  if (message.role === 'tool')
    return { role: 'tool', tool_call_id: wireId(message.callId, dialect), content: message.text }
  if (!message.images?.length) return { role: 'user', content: message.text }
  const text: ChatCompletionContentPart[] = message.text === '' ? [] : [{ type: 'text', text: message.text }]
  return { role: 'user', content: [...text, ...message.images.map(wireImage)] }
}

function wireAssistant(
  { text, toolCalls = [], reasoning }: Extract<Message, { role: 'assistant' }>,
  dialect: Dialect,
): ChatCompletionAssistantMessageParam {
  if (toolCalls.length === 0) return { role: 'assistant', content: text }
  const thought = dialect.reasoningField && reasoning ? { [dialect.reasoningField]: reasoning } : {}
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...thought,
    tool_calls: toolCalls.map((call) => ({
      id: wireId(call.id, dialect),
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(wireInput(call.input)) },
    })),
  }
}

/** An id in the form the service wants; the same id always becomes the same. */
function wireId(id: string, { callIdLength: length }: Dialect): string {
  if (length === undefined || (id.length === length && /^[a-zA-Z0-9]+$/.test(id))) return id
  // FNV-1a, twice, because one has fewer digits than are wanted.
  const hash = (seed: number) =>
    [...id].reduce((sum, letter) => Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0, seed)
  const digits = hash(0x811c9dc5).toString(36).padStart(7, '0') + hash(0x1000193).toString(36).padStart(7, '0')
  return digits.slice(-length)
}

/** Servers parse the arguments of earlier calls and refuse what is no object, so raw text is wrapped. */
function wireInput(input: unknown): object {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { unparsed: input }
}

function wireImage(image: Image): ChatCompletionContentPart {
  return { type: 'image_url', image_url: { url: `data:${image.mediaType};base64,${image.data}` } }
}

function wireTool(tool: ToolDefinition) {
  const { $schema: _, ...parameters } = tool.parameters
  return { type: 'function', function: { name: tool.name, description: tool.description, parameters } }
}
