/**
 * From a conversation to the body of `POST /chat/completions`
 * (https://platform.openai.com/docs/api-reference/chat/create). Only fields that every compatible server knows.
 */
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions'
import type { Image, Message, ModelRequest, ToolCall, ToolDefinition } from 'svc/sdk'

/** The field that carries the output limit: OpenAI has renamed it, compatible servers have not. */
export type LimitField = 'max_tokens' | 'max_completion_tokens'

/** What messages and tools, which never change, are on the wire: a conversation is sent again with each of its steps. */
const written = new WeakMap<object, string>()

/** The body as JSON; the same request always gives the same bytes. */
export function requestBody(request: ModelRequest, limitField: LimitField): string {
  const { model, messages, tools, maxOutputTokens } = request
  const parts = [`"model":${JSON.stringify(model)}`, `"messages":[${wireMessages(messages).join(',')}]`]
  if (tools.length > 0) parts.push(`"tools":[${tools.map((tool) => write(tool, wireTool)).join(',')}]`)
  if (maxOutputTokens !== undefined) parts.push(`"${limitField}":${maxOutputTokens}`)
  parts.push('"stream":true,"stream_options":{"include_usage":true}')
  return `{${parts.join(',')}}`
}

/**
 * One system message, first: many chat templates refuse another place or a second one.
 * Images of tools follow as a user message, because a tool message may hold text only.
 */
function wireMessages(messages: readonly Message[]): string[] {
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
    wire.push(write(message, wireMessage))
    if (message.role === 'tool' && message.images?.length)
      images.push({ type: 'text', text: `Images from tool call ${message.callId}:` }, ...message.images.map(wireImage))
  }
  pushImages()
  return wire
}

function write<T extends object>(item: T, wire: (item: T) => object): string {
  const known = written.get(item)
  if (known !== undefined) return known
  const text = JSON.stringify(wire(item))
  written.set(item, text)
  return text
}

function wireMessage(message: Exclude<Message, { role: 'system' }>): ChatCompletionMessageParam {
  if (message.role === 'assistant') return wireAssistant(message.text, message.toolCalls ?? [])
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.text }
  if (!message.images?.length) return { role: 'user', content: message.text }
  const text: ChatCompletionContentPart[] = message.text === '' ? [] : [{ type: 'text', text: message.text }]
  return { role: 'user', content: [...text, ...message.images.map(wireImage)] }
}

function wireAssistant(text: string, calls: readonly ToolCall[]): ChatCompletionAssistantMessageParam {
  if (calls.length === 0) return { role: 'assistant', content: text }
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    tool_calls: calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(wireInput(call.input)) },
    })),
  }
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
