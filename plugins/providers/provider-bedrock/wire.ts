/**
 * From a conversation to the body of `POST /model/<model>/converse-stream`
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html). Cache points after
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html.
 */
import type { ImageContent, Message, ToolCall } from 'svc/sdk'
import { anthropicThinking, anthropicThinkingBlock } from 'svc/sdk/kit/wire'
import {
  type ImageLimits,
  type ModelRequest,
  type ProviderBlock,
  replayAnswer,
  type ToolDefinition,
  toObjectInput,
  toObjectSchema,
  unsupportedImageText,
} from 'svc/sdk/provider'
import { outputConfig } from './formats.ts'
import { NAME } from './service.ts'

/** The service allows four points; the system text or the tools have one. */
const MARKED_MESSAGES = 3
/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html */
export const PICTURES: ImageLimits = {
  types: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  maxBytes: 3.75 * 2 ** 20,
}
const CLAUDE = /anthropic\.claude/
/** Other models refuse a cache point. */
const CACHES = /anthropic\.claude-(3-7|3-5-haiku|(opus|sonnet|haiku|fable|mythos))|amazon\.nova/
/** Maximum output of a Claude model without an explicit limit; its reasoning must be shorter. */
const USUAL_LIMIT = 32_000
const MAX_ID = 64

type Assistant = Extract<Message, { role: 'assistant' }>
/** Whose reasoning is sent back; undefined: no reasoning is sent. */
type Author = Parameters<typeof replayAnswer>[1]
/** Models of others are told in other fields. */
type Thinking = Omit<ReturnType<typeof anthropicThinking>, 'fields'> & { readonly fields: object }
type Block = Readonly<Record<string, unknown>>
interface WireMessage {
  readonly role: 'user' | 'assistant'
  readonly content: Block[]
}

/** Nothing is sent: the default of the model applies. */
const DEFAULT_THINKING: Thinking = { fields: {}, carries: true, fixesTemperature: false }
const CACHE_POINT: Block = { cachePoint: { type: 'default' } }

/** The body as JSON; the same request always gives the same bytes. */
export function requestBody(request: ModelRequest): string {
  const { model, messages, format } = request
  const thinking = chooseThinking(request)
  const { fields } = thinking
  const wire = wireMessages(messages, thinking.carries ? { provider: NAME, model } : undefined)
  const system = messages.flatMap((message) => (message.role === 'system' && message.text.trim() ? [message.text] : []))
  const caches = CACHES.test(model)
  const inference = createInferenceConfig(request, thinking)
  const tools = wireTools(request)
  const marksTools = caches && CLAUDE.test(model) && system.length === 0
  return JSON.stringify({
    ...(system.length > 0 ? { system: [{ text: system.join('\n\n') }, ...(caches ? [CACHE_POINT] : [])] } : {}),
    messages: caches ? markedTail(wire) : wire,
    ...(tools.length > 0 ? { toolConfig: { tools: [...tools, ...(marksTools ? [CACHE_POINT] : [])] } } : {}),
    ...(Object.keys(inference).length > 0 ? { inferenceConfig: inference } : {}),
    ...(format === undefined ? {} : outputConfig(format)),
    ...(Object.keys(fields).length > 0 ? { additionalModelRequestFields: fields } : {}),
  })
}

function createInferenceConfig(
  { maxOutputTokens, temperature }: ModelRequest,
  { fixesTemperature, needsLimit }: Thinking,
): object {
  const maxTokens = maxOutputTokens ?? (needsLimit ? USUAL_LIMIT : undefined)
  return {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(temperature === undefined || fixesTemperature ? {} : { temperature: Math.min(temperature, 1) }),
  }
}

/** Claude and Nova 2 (https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html), gpt-oss by OpenAI. */
function chooseThinking(request: ModelRequest): Thinking {
  const { model, reasoning } = request
  if (CLAUDE.test(model))
    return anthropicThinking(request, { provider: NAME, limit: request.maxOutputTokens ?? USUAL_LIMIT })
  if (reasoning === undefined) return DEFAULT_THINKING
  const effort = reasoning === 'none' ? 'low' : reasoning === 'xhigh' ? 'high' : reasoning
  if (model.includes('openai.gpt-oss')) return { ...DEFAULT_THINKING, fields: { reasoning_effort: effort } }
  if (!model.includes('amazon.nova-2')) return DEFAULT_THINKING
  const reasoningConfig = reasoning === 'none' ? { type: 'disabled' } : { type: 'enabled', maxReasoningEffort: effort }
  // At the highest effort Nova chooses both.
  return { ...DEFAULT_THINKING, fields: { reasoningConfig }, fixesTemperature: effort === 'high' }
}

/** Neighbours of one role are one message: results of tools have to stand together behind their calls. */
function wireMessages(messages: readonly Message[], author: Author): WireMessage[] {
  const wire: WireMessage[] = []
  for (const message of messages) {
    if (message.role === 'system') continue
    const isAnswer = message.role === 'assistant'
    const content = isAnswer ? createAnswerBlocks(message, author) : createUserBlocks(message)
    const role = isAnswer ? 'assistant' : 'user'
    const last = wire.at(-1)
    if (content.length === 0) continue
    if (last?.role === role) last.content.push(...content)
    else wire.push({ role, content })
  }
  if (wire[0]?.role !== 'user') wire.unshift({ role: 'user', content: [{ text: '(continued)' }] })
  // Results come first among the blocks that answer calls.
  for (const { content } of wire) content.sort((one, other) => rank(one) - rank(other))
  return wire
}

function rank(block: Block): number {
  return 'toolResult' in block ? 0 : 1
}

function createUserBlocks(message: Exclude<Message, { role: 'system' | 'assistant' }>): Block[] {
  const content = [...textBlock(message.text), ...(message.images ?? []).map(picture)]
  if (message.role === 'user') return content
  const status = message.failed === true ? { status: 'error' } : {}
  const shown = content.length > 0 ? content : [{ text: '(no output)' }]
  return [{ toolResult: { toolUseId: wireId(message.callId), content: shown, ...status } }]
}

/** An answer in the order in which it was given. Thoughts that lead to nothing are left out. */
function createAnswerBlocks(message: Assistant, author: Author): Block[] {
  const blocks = replayAnswer(message, author).flatMap((part): Block[] => {
    if (part.type === 'text') return textBlock(part.text)
    return part.type === 'call' ? [toolUse(part.call)] : thoughtBlock(part.piece)
  })
  return blocks.every((block) => 'reasoningContent' in block) ? [] : blocks
}

function thoughtBlock(piece: ProviderBlock): Block[] {
  const thought = anthropicThinkingBlock(piece)
  if (!thought) return []
  return thought.type === 'thinking'
    ? [{ reasoningContent: { reasoningText: { text: thought.thinking, signature: thought.signature } } }]
    : [{ reasoningContent: { redactedContent: thought.data } }]
}

/** Blank texts are left out, because the service refuses them. */
function textBlock(text: string): Block[] {
  return text.trim() === '' ? [] : [{ text }]
}

function toolUse({ id, name, input }: ToolCall): Block {
  return { toolUse: { toolUseId: wireId(id), name, input: toObjectInput(input) } }
}

/** Ids that another service gave may be longer, or hold characters that are refused here. */
function wireId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(-MAX_ID) || '_'
}

function picture(image: ImageContent): Block {
  const text = unsupportedImageText(image, PICTURES)
  if (text !== undefined) return { text }
  return { image: { format: image.mediaType.replace('image/', ''), source: { bytes: image.data } } }
}

/** The service refuses calls of tools that are not declared: those of a conversation are, when no others are offered. */
function wireTools({ tools, messages }: ModelRequest): Block[] {
  if (tools.length > 0) return tools.map(wireTool)
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
  return [...new Set(calls.map(({ name }) => name))].map((name) =>
    wireTool({ name, description: 'Not offered any more.', parameters: {} }),
  )
}

function wireTool({ name, description, parameters }: ToolDefinition): Block {
  const inputSchema = { json: toObjectSchema(parameters) }
  return { toolSpec: { name, ...(description === '' ? {} : { description }), inputSchema } }
}

function markedTail(messages: readonly WireMessage[]): WireMessage[] {
  return messages.map((message, at) =>
    at < messages.length - MARKED_MESSAGES ? message : { ...message, content: [...message.content, CACHE_POINT] },
  )
}
