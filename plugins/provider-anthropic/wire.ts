/**
 * From a conversation to the body of `POST /v1/messages` (https://docs.anthropic.com/en/api/messages). Cache marks stand
 * on the system text and the last three messages (https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching).
 */
import type { Image, Message, ModelRequest, ToolCall, ToolDefinition } from 'svc/sdk'
import { outputLimit } from './output-limit.ts'

/** The service allows four marks; the system text or the tools have one. */
const MARKED_MESSAGES = 3
/** What Claude can look at. */
const PICTURES = /^image\/(jpeg|png|gif|webp)$/

interface Marked {
  readonly cache_control?: { readonly type: 'ephemeral' }
}
interface TextBlock extends Marked {
  readonly type: 'text'
  readonly text: string
}
interface ImageBlock extends Marked {
  readonly type: 'image'
  readonly source: { readonly type: 'base64'; readonly media_type: string; readonly data: string }
}
interface ToolUseBlock extends Marked {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: object
}
interface ToolResultBlock extends Marked {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content?: readonly (TextBlock | ImageBlock)[]
}
type Block = TextBlock | ImageBlock | ToolUseBlock | ToolResultBlock
interface WireMessage {
  readonly role: 'user' | 'assistant'
  readonly content: readonly Block[]
}

/** The body as JSON; the same request always gives the same bytes. */
export function requestBody({ model, messages, tools, maxOutputTokens }: ModelRequest): string {
  const system = messages.flatMap((message) => (message.role === 'system' && message.text ? [message.text] : []))
  return JSON.stringify({
    model,
    max_tokens: maxOutputTokens ?? outputLimit(model),
    ...(tools.length > 0 ? { tools: system.length > 0 ? tools.map(wireTool) : markedLast(tools.map(wireTool)) } : {}),
    ...(system.length > 0 ? { system: [marked({ type: 'text', text: system.join('\n\n') })] } : {}),
    messages: markedTail(wireMessages(messages)),
    stream: true,
  })
}

/** Neighbours of one role are one message: results of tools have to stand together behind their calls. */
function wireMessages(messages: readonly Message[]): WireMessage[] {
  const wire: { role: 'user' | 'assistant'; content: Block[] }[] = []
  for (const message of messages) {
    if (message.role === 'system') continue
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const content = blocksOf(message)
    const last = wire.at(-1)
    if (content.length === 0) continue
    if (last?.role === role) last.content.push(...content)
    else wire.push({ role, content })
  }
  if (wire[0]?.role !== 'user') wire.unshift({ role: 'user', content: [{ type: 'text', text: '(continued)' }] })
  return wire
}

/** Empty texts are left out, because the service refuses them. */
function blocksOf(message: Exclude<Message, { role: 'system' }>): Block[] {
  const text: TextBlock[] = message.text.trim() === '' ? [] : [{ type: 'text', text: message.text }]
  if (message.role === 'assistant') return [...text, ...(message.toolCalls ?? []).map(toolUse)]
  const content = [...text, ...(message.images ?? []).map(picture)]
  if (message.role === 'user') return content
  const result = { type: 'tool_result', tool_use_id: wireId(message.callId) } as const
  return [content.length > 0 ? { ...result, content } : result]
}

function toolUse({ id, name, input }: ToolCall): ToolUseBlock {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  return { type: 'tool_use', id: wireId(id), name, input: isObject ? input : { unparsed: input } }
}

/** Ids that another service gave may hold characters that are refused here. */
function wireId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_') || '_'
}

function picture({ mediaType, data }: Image): TextBlock | ImageBlock {
  return PICTURES.test(mediaType)
    ? { type: 'image', source: { type: 'base64', media_type: mediaType, data } }
    : { type: 'text', text: `[a picture of type ${mediaType}, which this model cannot see]` }
}

function wireTool({ name, description, parameters: { $schema: _, ...schema } }: ToolDefinition): object {
  return { name, description, input_schema: { type: 'object', ...schema } }
}

function markedTail(messages: readonly WireMessage[]): WireMessage[] {
  return messages.map((message, at) =>
    at < messages.length - MARKED_MESSAGES ? message : { ...message, content: markedLast(message.content) },
  )
}

/** A mark keeps all that stands before it, too. */
function markedLast<T extends object>(items: readonly T[]): T[] {
  return items.map((item, at) => (at === items.length - 1 ? marked(item) : item))
}

function marked<T extends object>(item: T): T & Marked {
  return { ...item, cache_control: { type: 'ephemeral' } }
}
