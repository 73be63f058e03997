/**
 * From a conversation to the body of `POST /chat/completions`
 * (https://platform.openai.com/docs/api-reference/chat/create). Only fields that every compatible server knows.
 */
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions'
import type { ImageContent, Message } from 'svc/sdk'
import {
  type ChatMessage,
  type ChatPart,
  shortenToolCallId,
  toChatMessage,
  toFollowingPictures,
} from 'svc/sdk/kit/wire'
import { type ModelRequest, type ToolDefinition, toObjectSchema } from 'svc/sdk/provider'
import type { ServiceTier } from 'svc/sdk/sessions'
import { formatPicture, type Wire, writers } from './answer.ts'
import { Answer } from './assemble.ts'
import { chatFormat, chooseFormats, type Formats } from './formats.ts'
import {
  listEfforts,
  nestOptions,
  type Options,
  type ReasoningForm,
  reasoningOptions,
  TIER,
  takesTemperature,
} from './options.ts'
import type { Cost } from './usage.ts'

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
  /** Sends `reasoning_details` and wants them back. */
  readonly keepsDetails?: true
  /** How it is told to think more or less; left out: it cannot be told. */
  readonly reasoning?: ReasoningForm
  /** The efforts it knows, least first, when not all. */
  readonly efforts?: readonly string[]
  /** Finds its cache by `prompt_cache_key`. */
  readonly cacheKey?: true
  readonly cost?: Cost
  /** The tiers that can be asked for; left out: it has none that its public pages tell of. */
  readonly tiers?: readonly ServiceTier[]
  /** How its answers can be held to a form; left out: as most servers do it. */
  readonly formats?: Formats
  /** Responses wire: results of tools may be text only. */
  readonly plainResults?: true
  /** Responses wire: what is said by the system goes into `instructions`, which it wants. */
  readonly instructions?: true
  /** Responses wire: it does not sum up its reasoning. */
  readonly withoutSummaries?: true
}

const getWriter = writers()
type Write = ReturnType<typeof getWriter>

/** The wire as a call takes it. */
export const chatWire: Wire = {
  options: chatOptions,
  body: requestBody,
  answer: (_request, entry, newId) => new Answer(newId, entry),
}

/** The body as JSON; the same request always gives the same bytes. */
export function requestBody(request: ModelRequest, dialect: Dialect, options = chatOptions(request, dialect)): string {
  const { model, messages, tools } = request
  const write = getWriter(dialect)
  const parts = [`"model":${JSON.stringify(model)}`, `"messages":[${wireMessages(messages, dialect, write).join(',')}]`]
  if (tools.length > 0) parts.push(`"tools":[${tools.map((tool) => write(tool, wireTool)).join(',')}]`)
  const more = JSON.stringify(nestOptions(options)).slice(1, -1)
  return `{${parts.join(',')}${more === '' ? '' : `,${more}`}}`
}

/** What a request of this wire has beside the conversation. */
export function chatOptions(request: ModelRequest, dialect: Dialect): Options {
  const { model, maxOutputTokens, reasoning, temperature, conversation, format, serviceTier } = request
  const options = new Map<string, unknown>()
  if (maxOutputTokens !== undefined) options.set(dialect.limitField, maxOutputTokens)
  if (format !== undefined) options.set('response_format', chatFormat(format, chooseFormats(dialect, model)))
  if (reasoning !== undefined && dialect.reasoning !== undefined)
    for (const [name, value] of reasoningOptions(dialect.reasoning, reasoning, listEfforts(model, dialect.efforts)))
      options.set(name, value)
  if (temperature !== undefined && takesTemperature(model)) options.set('temperature', temperature)
  if (conversation !== undefined && dialect.cacheKey) options.set('prompt_cache_key', conversation)
  if (serviceTier !== undefined && dialect.tiers?.includes(serviceTier)) options.set(TIER, serviceTier)
  options.set('stream', true)
  if (!dialect.usageUnasked) options.set('stream_options', { include_usage: true })
  return options
}

/**
 * One system message, first: many chat templates refuse another place or a second one. Images of tools and of the
 * model follow as a user message, because such messages may hold text only.
 */
function wireMessages(messages: readonly Message[], dialect: Dialect, write: Write): string[] {
  const system = messages.flatMap((message) => (message.role === 'system' ? [message.text] : []))
  const wire = system.length > 0 ? [JSON.stringify({ role: 'system', content: system.join('\n\n') })] : []
  let images: ChatPart[] = []
  const pushImages = () => {
    if (images.length > 0) wire.push(JSON.stringify({ role: 'user', content: images }))
    images = []
  }
  for (const message of messages) {
    if (message.role === 'system') continue
    if (message.role !== 'tool') pushImages()
    wire.push(write(message, (each) => JSON.stringify(wireMessage(each, dialect))))
    images.push(...toFollowingPictures(message, { image: wireImage }))
  }
  pushImages()
  return wire
}

function wireMessage(message: Message, dialect: Dialect): ChatCompletionMessageParam {
  const wire = toChatMessage(message, { id: (id) => wireId(id, dialect), image: wireImage })
  return message.role === 'assistant' && wire.role === 'assistant' ? wireAssistant(message, wire, dialect) : wire
}

/** With what this service gave and wants back. */
function wireAssistant(
  message: Extract<Message, { role: 'assistant' }>,
  { tool_calls: calls = [], ...wire }: Extract<ChatMessage, { role: 'assistant' }>,
  dialect: Dialect,
): ChatCompletionAssistantMessageParam {
  const { details, extras } = listCarried(message, dialect)
  if (calls.length === 0) return { ...wire, ...details }
  const { reasoning } = message
  return {
    ...wire,
    ...(dialect.reasoningField && reasoning ? { [dialect.reasoningField]: reasoning } : {}),
    ...details,
    tool_calls: calls.map((call, place) => ({ ...call, ...(extras[place] ? { extra_content: extras[place] } : {}) })),
  }
}

/** What came with an answer and goes back with it, only to the provider that it came from. */
function listCarried(
  { carry, toolCalls = [] }: Extract<Message, { role: 'assistant' }>,
  dialect: Dialect & { id?: string },
): { readonly details: object; readonly extras: readonly unknown[] } {
  if (carry === undefined || carry.provider !== dialect.id) return { details: {}, extras: [] }
  const { details, extras } = carry.data as { details?: unknown; extras?: unknown }
  return {
    details: dialect.keepsDetails && Array.isArray(details) ? { reasoning_details: details } : {},
    // A call that was left out has moved the others.
    extras: Array.isArray(extras) && extras.length === toolCalls.length ? extras : [],
  }
}

/** An id in the form the service wants; the same id always becomes the same. */
function wireId(id: string, { callIdLength: length }: Dialect): string {
  if (length === undefined) return shortenToolCallId(id)
  if (id.length === length && /^[a-zA-Z0-9]+$/.test(id)) return id
  // FNV-1a, twice, because one has fewer digits than are wanted.
  const hash = (seed: number) =>
    [...id].reduce((sum, letter) => Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0, seed)
  const digits = hash(0x811c9dc5).toString(36).padStart(7, '0') + hash(0x1000193).toString(36).padStart(7, '0')
  return digits.slice(-length)
}

function wireImage(image: ImageContent): ChatPart {
  const picture = formatPicture(image)
  return 'url' in picture ? { type: 'image_url', image_url: picture } : { type: 'text', text: picture.text }
}

function wireTool({ name, description, parameters }: ToolDefinition): string {
  const tool: ChatCompletionFunctionTool = {
    type: 'function',
    function: { name, description, parameters: toObjectSchema(parameters) },
  }
  return JSON.stringify(tool)
}
