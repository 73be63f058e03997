/**
 * From a conversation to the body of `POST /model/<model>/converse-stream`
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html). Cache points after
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html.
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
import { NAME } from './service.ts'
import { claudeThinking, type Thinking, UNSAID } from './thinking.ts'

/** The service allows four points; the system text or the tools have one. */
const MARKED_MESSAGES = 3
/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html */
export const PICTURES: PictureLimits = {
  types: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  maxBytes: 3.75 * 2 ** 20,
}
const CLAUDE = /anthropic\.claude/
/** Other models refuse a cache point. */
const CACHES = /anthropic\.claude-(3-7|3-5-haiku|(opus|sonnet|haiku|fable|mythos))|amazon\.nova/
/** What a Claude model may write when nobody says how much; its thoughts have to be fewer. */
const USUAL_LIMIT = 32_000
const MAX_ID = 64

/** What services say about options that a model does not know, and about thoughts that came back changed. */
const OPTIONS_REFUSED =
  /thinking\.(type|budget|disabled|enabled|adaptive)|budget_tokens|effort|temperature|reasoningConfig/i
const THOUGHTS_REFUSED = /signature|thinking|reasoning/i

type Assistant = Extract<Message, { role: 'assistant' }>
type Block = Readonly<Record<string, unknown>>
interface WireMessage {
  readonly role: 'user' | 'assistant'
  readonly content: Block[]
}

const CACHE_POINT: Block = { cachePoint: { type: 'default' } }

/** The body as JSON; the same request always gives the same bytes. */
export function requestBody(request: ModelRequest): string {
  const { model, messages, temperature } = request
  const asked = thinkingOf(request)
  const wire = wireMessages(messages, (message) => (asked.mode === 'off' ? [] : piecesOf(message, NAME, model)))
  const { fields, fixesTemperature, mode } = allowed(asked, wire)
  const system = messages.flatMap((message) => (message.role === 'system' && message.text.trim() ? [message.text] : []))
  const caches = CACHES.test(model)
  const maxTokens = request.maxOutputTokens ?? (mode === 'budget' ? USUAL_LIMIT : undefined)
  const inference = {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(temperature === undefined || fixesTemperature ? {} : { temperature: Math.min(temperature, 1) }),
  }
  const tools = wireTools(request)
  const marksTools = caches && CLAUDE.test(model) && system.length === 0
  return JSON.stringify({
    ...(system.length > 0 ? { system: [{ text: system.join('\n\n') }, ...(caches ? [CACHE_POINT] : [])] } : {}),
    messages: caches ? markedTail(wire) : wire,
    ...(tools.length > 0 ? { toolConfig: { tools: [...tools, ...(marksTools ? [CACHE_POINT] : [])] } } : {}),
    ...(Object.keys(inference).length > 0 ? { inferenceConfig: inference } : {}),
    ...(Object.keys(fields).length > 0 ? { additionalModelRequestFields: fields } : {}),
  })
}

/**
 * The same request without what the service complains about: options that its model does not know, or thoughts that are
 * not as it gave them. Undefined when there is nothing of the kind in it.
 */
export function easierRequest(request: ModelRequest, complaint: string): ModelRequest | undefined {
  if (OPTIONS_REFUSED.test(complaint)) {
    const { reasoning, temperature, ...rest } = request
    return reasoning === undefined && temperature === undefined ? undefined : rest
  }
  const isCarrying = (message: Message) =>
    message.role === 'assistant' && piecesOf(message, NAME, request.model).some(isThought)
  if (!THOUGHTS_REFUSED.test(complaint) || !request.messages.some(isCarrying)) return undefined
  const messages = request.messages.map((message): Message => {
    if (message.role !== 'assistant') return message
    const { carry: _, ...rest } = message
    return rest
  })
  return { ...request, messages }
}

/** Claude and Nova 2 (https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html), gpt-oss by OpenAI. */
function thinkingOf(request: ModelRequest): Thinking {
  const { model, reasoning } = request
  if (CLAUDE.test(model)) return claudeThinking(request, request.maxOutputTokens ?? USUAL_LIMIT)
  if (reasoning === undefined) return UNSAID
  const effort = reasoning === 'none' ? 'low' : reasoning === 'xhigh' ? 'high' : reasoning
  if (model.includes('openai.gpt-oss')) return { ...UNSAID, fields: { reasoning_effort: effort } }
  if (!model.includes('amazon.nova-2')) return UNSAID
  const reasoningConfig = reasoning === 'none' ? { type: 'disabled' } : { type: 'enabled', maxReasoningEffort: effort }
  // Nova chooses both by itself while it thinks as hard as it can.
  return { fields: { reasoningConfig }, mode: 'unsaid', fixesTemperature: effort === 'high' }
}

/** In the middle of tool calls thinking cannot begin: the last answer must have its thoughts before its calls. */
function allowed(thinking: Thinking, wire: readonly WireMessage[]): Thinking {
  const [answer, results] = wire.slice(-2)
  const isInside = results?.content.some((block) => 'toolResult' in block) === true
  const begins = 'reasoningContent' in (answer?.content[0] ?? {})
  if (thinking.mode !== 'budget' || !isInside || begins) return thinking
  return { fields: {}, mode: 'off', fixesTemperature: false }
}

/** Neighbours of one role are one message: results of tools have to stand together behind their calls. */
function wireMessages(
  messages: readonly Message[],
  pieces: (message: Assistant) => ReturnType<typeof piecesOf>,
): WireMessage[] {
  const wire: WireMessage[] = []
  for (const message of messages) {
    if (message.role === 'system') continue
    const isAnswer = message.role === 'assistant'
    const content = isAnswer ? answered(message, pieces(message)) : told(message)
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

function told(message: Exclude<Message, { role: 'system' | 'assistant' }>): Block[] {
  const content = [...textBlock(message.text), ...(message.images ?? []).map(picture)]
  if (message.role === 'user') return content
  const status = message.failed === true ? { status: 'error' } : {}
  const shown = content.length > 0 ? content : [{ text: '(no output)' }]
  return [{ toolResult: { toolUseId: wireId(message.callId), content: shown, ...status } }]
}

/** An answer in the order in which it was given. Thoughts that lead to nothing are left out. */
function answered({ text, toolCalls = [] }: Assistant, pieces: ReturnType<typeof piecesOf>): Block[] {
  const blocks: Block[] = []
  const open = new Map(toolCalls.map((call) => [call.id, call]))
  let at = 0
  for (const piece of pieces) {
    if (isThought(piece)) blocks.push(thought(piece))
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
  return blocks.every((block) => 'reasoningContent' in block) ? [] : blocks
}

function thought(piece: ThoughtBlock): Block {
  return piece.type === 'thinking'
    ? { reasoningContent: { reasoningText: { text: piece.thinking, signature: piece.signature } } }
    : { reasoningContent: { redactedContent: piece.data } }
}

/** Blank texts are left out, because the service refuses them. */
function textBlock(text: string): Block[] {
  return text.trim() === '' ? [] : [{ text }]
}

function toolUse({ id, name, input }: ToolCall): Block {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  return { toolUse: { toolUseId: wireId(id), name, input: isObject ? input : { unparsed: input } } }
}

/** Ids that another service gave may be longer, or hold characters that are refused here. */
function wireId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(-MAX_ID) || '_'
}

function picture(image: Image): Block {
  const text = unseenPicture(image, PICTURES)
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

function wireTool({ name, description, parameters: { $schema: _, ...schema } }: ToolDefinition): Block {
  const inputSchema = { json: { type: 'object', ...schema } }
  return { toolSpec: { name, ...(description === '' ? {} : { description }), inputSchema } }
}

function markedTail(messages: readonly WireMessage[]): WireMessage[] {
  return messages.map((message, at) =>
    at < messages.length - MARKED_MESSAGES ? message : { ...message, content: [...message.content, CACHE_POINT] },
  )
}
