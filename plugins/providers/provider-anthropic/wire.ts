/**
 * From a conversation to the body of `POST /v1/messages` (https://docs.anthropic.com/en/api/messages). Cache marks stand
 * on the system text and the last three messages (https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching).
 */
import type { ImageContent, Message, ToolCall } from 'svc/sdk'
import { anthropicSchema, anthropicThinking, anthropicThinkingBlock } from 'svc/sdk/kit/wire'
import {
  type ImageLimits,
  type ModelRequest,
  replayAnswer,
  type ToolDefinition,
  toObjectInput,
  toObjectSchema,
  unsupportedImageText,
} from 'svc/sdk/provider'
import type { Config } from './config.ts'
import { outputLimit } from './output-limit.ts'
import type { Vendor } from './vendors.ts'

/** The service allows four marks; the system text or the tools have one. */
const MARKED_MESSAGES = 3
const TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const
/** https://platform.claude.com/docs/en/build-with-claude/vision: 10 MB as base64. */
export const PICTURES: ImageLimits = {
  types: TYPES,
  maxBytes: 7.5 * 2 ** 20,
}

type Assistant = Extract<Message, { role: 'assistant' }>
/** Whose reasoning is sent back; undefined: no reasoning is sent. */
type Author = Parameters<typeof replayAnswer>[1]
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
  readonly source: { readonly type: 'base64'; readonly media_type: (typeof TYPES)[number]; readonly data: string }
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
type ThoughtBlock = NonNullable<ReturnType<typeof anthropicThinkingBlock>>
type Block = TextBlock | ImageBlock | ToolUseBlock | ToolResultBlock | ThoughtBlock
interface WireTool extends Marked {
  readonly name: string
  readonly description: string
  readonly input_schema: ReturnType<typeof toObjectSchema>
}
interface WireMessage {
  readonly role: 'user' | 'assistant'
  readonly content: readonly Block[]
}

/** The body as JSON; the same request always gives the same bytes. */
export function requestBody(request: ModelRequest, vendor: Vendor, caching: Config): string {
  return JSON.stringify(messagesBody(request, vendor, caching))
}

/** The body as a value. */
export function messagesBody(request: ModelRequest, vendor: Vendor, caching: Config) {
  const { model, messages, tools, maxOutputTokens, temperature, format } = request
  const limit = maxOutputTokens ?? outputLimit(model)
  const { fields, carries, fixesTemperature } = createThinking(request, vendor, limit)
  const wire = wireMessages(messages, carries ? { provider: vendor.id, model } : undefined)
  const mark: Mark = caching.cache_ttl === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' }
  const system = messages.flatMap((message) => (message.role === 'system' && message.text.trim() ? [message.text] : []))
  const wireTools = tools.map(wireTool)
  return {
    model,
    max_tokens: limit,
    ...fields,
    ...outputConfig(fields, format),
    ...(temperature === undefined || fixesTemperature ? {} : { temperature: Math.min(temperature, 1) }),
    ...(tools.length > 0 ? { tools: system.length > 0 ? wireTools : markedLast(wireTools, mark) } : {}),
    ...(system.length > 0
      ? { system: [{ type: 'text' as const, text: system.join('\n\n'), cache_control: mark }] }
      : {}),
    messages: markedTail(wire, mark),
    ...(isFast(request, vendor) ? { speed: 'fast' as const } : {}),
    stream: true as const,
  }
}

/** Whether the dearer, faster speed is asked for. */
export function isFast({ model, serviceTier }: ModelRequest, { fast }: Vendor): boolean {
  return serviceTier === 'priority' && fast?.test(model) === true
}

/** How hard to think, and the form of the answer. A schema that the service would refuse is left out. */
function outputConfig(
  { output_config: config }: ReturnType<typeof anthropicThinking>['fields'],
  format: ModelRequest['format'],
) {
  const schema = format?.schema && anthropicSchema(format.schema)
  if (config === undefined && schema === undefined) return {}
  return { output_config: { ...config, ...(schema && { format: { type: 'json_schema' as const, schema } }) } }
}

function createThinking(
  request: ModelRequest,
  { id, thinking }: Vendor,
  limit: number,
): ReturnType<typeof anthropicThinking> {
  if (thinking === 'own') return { fields: {}, carries: true, fixesTemperature: false }
  return anthropicThinking(request, { provider: id, limit, budget: thinking === 'budget' })
}

/** Neighbours of one role are one message: results of tools have to stand together behind their calls. */
function wireMessages(messages: readonly Message[], author: Author): WireMessage[] {
  const wire: { role: 'user' | 'assistant'; content: Block[] }[] = []
  for (const message of messages) {
    if (message.role === 'system') continue
    const isAnswer = message.role === 'assistant'
    const role = isAnswer ? 'assistant' : 'user'
    const content = isAnswer ? createAnswerBlocks(message, author) : createUserBlocks(message)
    const last = wire.at(-1)
    if (content.length === 0) continue
    if (last?.role === role) last.content.push(...content)
    else wire.push({ role, content })
  }
  if (wire[0]?.role !== 'user') wire.unshift({ role: 'user', content: [{ type: 'text', text: '(continued)' }] })
  return wire
}

function createUserBlocks(message: Exclude<Message, { role: 'system' | 'assistant' }>): Block[] {
  const content = [...textBlock(message.text), ...(message.images ?? []).map(picture)]
  if (message.role === 'user') return content
  // An error without words is refused.
  const failed = message.failed === true && content.length > 0 ? { is_error: true as const } : {}
  const result = { type: 'tool_result', tool_use_id: wireId(message.callId), ...failed } as const
  return [content.length > 0 ? { ...result, content } : result]
}

/** An answer in the order in which it was given. Thoughts that lead to nothing are left out. */
function createAnswerBlocks(message: Assistant, author: Author): Block[] {
  const blocks = replayAnswer(message, author).flatMap((part): Block[] => {
    if (part.type === 'text') return textBlock(part.text)
    if (part.type === 'call') return [toolUse(part.call)]
    const thought = anthropicThinkingBlock(part.piece)
    return thought ? [thought] : []
  })
  return blocks.every(isThought) ? [] : blocks
}

function isThought({ type }: { readonly type: string }): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

/** Empty texts are left out, because the service refuses them. */
function textBlock(text: string): TextBlock[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

function toolUse({ id, name, input }: ToolCall): ToolUseBlock {
  return { type: 'tool_use', id: wireId(id), name, input: toObjectInput(input) }
}

/** Ids that another service gave may hold characters that are refused here. */
function wireId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_') || '_'
}

function picture(image: ImageContent): TextBlock | ImageBlock {
  const text = unsupportedImageText(image, PICTURES)
  if (text !== undefined) return { type: 'text', text }
  const type = image.mediaType as (typeof TYPES)[number]
  return { type: 'image', source: { type: 'base64', media_type: type, data: image.data } }
}

function wireTool({ name, description, parameters }: ToolDefinition): WireTool {
  return { name, description, input_schema: toObjectSchema(parameters) }
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
