/**
 * From a conversation to the body of `POST /v1/messages` (https://docs.anthropic.com/en/api/messages). Cache marks stand
 * on the system text and the last three messages (https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching).
 */
import {
  type Image,
  type Message,
  type ModelRequest,
  type PictureLimits,
  type ToolCall,
  type ToolDefinition,
  unseenPicture,
} from 'svc/sdk'
import { isThought, piecesOf, type ThoughtBlock } from './carry.ts'
import type { Config } from './config.ts'
import { outputLimit } from './output-limit.ts'
import { budgetThinking, claudeThinking, type Thinking, UNSAID } from './thinking.ts'
import type { Vendor } from './vendors.ts'

/** The service allows four marks; the system text or the tools have one. */
const MARKED_MESSAGES = 3
/** https://platform.claude.com/docs/en/build-with-claude/vision: 10 MB as base64. */
export const PICTURES: PictureLimits = {
  types: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  maxBytes: 7.5 * 2 ** 20,
}

/** What services say about options that a model does not know, and about thoughts that came back changed. */
const OPTIONS_REFUSED =
  /thinking\.(type|budget|disabled|enabled|adaptive)|budget_tokens|effort|temperature|between_tools/i
const THOUGHTS_REFUSED = /signature|thinking/i

type Assistant = Extract<Message, { role: 'assistant' }>
interface Mark {
  readonly type: 'ephemeral'
  readonly ttl?: '1h'
}
interface Marked {
  readonly cache_control?: Mark
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
  readonly is_error?: true
  readonly content?: readonly (TextBlock | ImageBlock)[]
}
type Block = TextBlock | ImageBlock | ToolUseBlock | ToolResultBlock | ThoughtBlock
interface WireMessage {
  readonly role: 'user' | 'assistant'
  readonly content: readonly Block[]
}

/** The body as JSON; the same request always gives the same bytes. */
export function requestBody(request: ModelRequest, vendor: Vendor, caching: Config): string {
  const { model, messages, tools, maxOutputTokens, temperature } = request
  const limit = maxOutputTokens ?? outputLimit(model)
  const asked = thinkingOf(request, vendor, limit)
  const wire = wireMessages(messages, (message) => (asked.mode === 'off' ? [] : piecesOf(message, vendor.id, model)))
  const { fields, fixesTemperature } = allowed(asked, wire)
  const mark: Mark = caching.cache_ttl === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' }
  const system = messages.flatMap((message) => (message.role === 'system' && message.text.trim() ? [message.text] : []))
  const wireTools = tools.map(wireTool)
  return JSON.stringify({
    model,
    max_tokens: limit,
    ...fields,
    ...(temperature === undefined || fixesTemperature ? {} : { temperature: Math.min(temperature, 1) }),
    ...(tools.length > 0 ? { tools: system.length > 0 ? wireTools : markedLast(wireTools, mark) } : {}),
    ...(system.length > 0 ? { system: [{ type: 'text', text: system.join('\n\n'), cache_control: mark }] } : {}),
    messages: markedTail(wire, mark),
    stream: true,
  })
}

/**
 * The same request without what the service complains about: options that its model does not know, or thoughts that are
 * not as it gave them. Undefined when there is nothing of the kind in it.
 */
export function easierRequest(request: ModelRequest, vendor: Vendor, complaint: string): ModelRequest | undefined {
  if (OPTIONS_REFUSED.test(complaint)) {
    const { reasoning, temperature, ...rest } = request
    return reasoning === undefined && temperature === undefined ? undefined : rest
  }
  const isCarrying = (message: Message) =>
    message.role === 'assistant' && piecesOf(message, vendor.id, request.model).some(isThought)
  if (!THOUGHTS_REFUSED.test(complaint) || !request.messages.some(isCarrying)) return undefined
  const messages = request.messages.map((message): Message => {
    if (message.role !== 'assistant') return message
    const { carry: _, ...rest } = message
    return rest
  })
  return { ...request, messages }
}

function thinkingOf(request: ModelRequest, { thinking }: Vendor, limit: number): Thinking {
  if (thinking === 'own') return UNSAID
  return thinking === 'claude' ? claudeThinking(request, limit) : budgetThinking(request.reasoning, limit)
}

/** In the middle of tool calls thinking cannot begin: the last answer must have its thoughts before its calls. */
function allowed(thinking: Thinking, wire: readonly WireMessage[]): Thinking {
  const [answer, results] = wire.slice(-2)
  const isInside = results?.content.some(({ type }) => type === 'tool_result') === true
  const begins = answer?.content[0] !== undefined && isThought(answer.content[0])
  if (thinking.mode !== 'budget' || !isInside || begins) return thinking
  return { fields: {}, mode: 'off', fixesTemperature: false }
}

/** Neighbours of one role are one message: results of tools have to stand together behind their calls. */
function wireMessages(
  messages: readonly Message[],
  pieces: (message: Assistant) => ReturnType<typeof piecesOf>,
): WireMessage[] {
  const wire: { role: 'user' | 'assistant'; content: Block[] }[] = []
  for (const message of messages) {
    if (message.role === 'system') continue
    const isAnswer = message.role === 'assistant'
    const role = isAnswer ? 'assistant' : 'user'
    const content = isAnswer ? answered(message, pieces(message)) : told(message)
    const last = wire.at(-1)
    if (content.length === 0) continue
    if (last?.role === role) last.content.push(...content)
    else wire.push({ role, content })
  }
  if (wire[0]?.role !== 'user') wire.unshift({ role: 'user', content: [{ type: 'text', text: '(continued)' }] })
  return wire
}

function told(message: Exclude<Message, { role: 'system' | 'assistant' }>): Block[] {
  const content = [...textBlock(message.text), ...(message.images ?? []).map(picture)]
  if (message.role === 'user') return content
  // An error without words is refused.
  const failed = message.failed === true && content.length > 0 ? { is_error: true as const } : {}
  const result = { type: 'tool_result', tool_use_id: wireId(message.callId), ...failed } as const
  return [content.length > 0 ? { ...result, content } : result]
}

/** An answer in the order in which it was given. Thoughts that lead to nothing are left out. */
function answered({ text, toolCalls = [] }: Assistant, pieces: ReturnType<typeof piecesOf>): Block[] {
  const blocks: Block[] = []
  const open = new Map(toolCalls.map((call) => [call.id, call]))
  let at = 0
  for (const piece of pieces) {
    if (isThought(piece)) blocks.push(piece)
    else if (piece.type === 'text') {
      blocks.push(...textBlock(text.slice(at, at + piece.length)))
      at += piece.length
    } else {
      const call = open.get(piece.id)
      if (call) blocks.push(toolUse(call))
      open.delete(piece.id)
    }
  }
  blocks.push(...textBlock(text.slice(at)), ...[...open.values()].map(toolUse))
  return blocks.every(isThought) ? [] : blocks
}

/** Empty texts are left out, because the service refuses them. */
function textBlock(text: string): TextBlock[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

function toolUse({ id, name, input }: ToolCall): ToolUseBlock {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  return { type: 'tool_use', id: wireId(id), name, input: isObject ? input : { unparsed: input } }
}

/** Ids that another service gave may hold characters that are refused here. */
function wireId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_') || '_'
}

function picture(image: Image): TextBlock | ImageBlock {
  const text = unseenPicture(image, PICTURES)
  if (text !== undefined) return { type: 'text', text }
  return { type: 'image', source: { type: 'base64', media_type: image.mediaType, data: image.data } }
}

function wireTool({ name, description, parameters: { $schema: _, ...schema } }: ToolDefinition): object {
  return { name, description, input_schema: { type: 'object', ...schema } }
}

function markedTail(messages: readonly WireMessage[], mark: Mark): WireMessage[] {
  return messages.map((message, at) =>
    at < messages.length - MARKED_MESSAGES ? message : { ...message, content: markedLast(message.content, mark) },
  )
}

/** A mark keeps all that stands before it, too. Thoughts take none. */
function markedLast<T extends object>(items: readonly T[], mark: Mark): T[] {
  const last = items.findLastIndex((item) => !isThought(item as Block))
  return items.map((item, at) => (at === last ? { ...item, cache_control: mark } : item))
}
