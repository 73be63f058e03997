/**
 * From a conversation to the body of `POST /models/<model>:streamGenerateContent`
 * (https://ai.google.dev/api/generate-content).
 */
import type { ImageContent, Message, ToolCall } from 'svc/sdk'
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
import { formatFields } from './formats.ts'
import { geminiParameters } from './schema.ts'
import { gemini } from './service.ts'
import { thinkingConfig } from './thinking.ts'

/** What stands for a signature that is not known any more (https://ai.google.dev/gemini-api/docs/thought-signatures). */
const NO_SIGNATURE = 'skip_thought_signature_validator'
/** Later models refuse a call without its signature, and want results to name their call. */
const EARLIER = /^(models\/)?(gemini-[12](\.|-|$)|gemma)/
/** https://ai.google.dev/gemini-api/docs/image-understanding: a request with its pictures may have 20 MB. */
export const PICTURES: ImageLimits = {
  types: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
  maxBytes: 14 * 2 ** 20,
}

type Assistant = Extract<Message, { role: 'assistant' }>
interface Part {
  readonly text?: string
  readonly inlineData?: { readonly mimeType: string; readonly data: string }
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args: Record<string, unknown> }
  readonly functionResponse?: {
    readonly id?: string
    readonly name: string
    readonly response: Record<string, unknown>
  }
  readonly thoughtSignature?: string
}
interface Content {
  readonly role: 'user' | 'model'
  readonly parts: Part[]
}
/** What the parts of a message need to know of the rest. */
interface PartContext {
  readonly model: string
  /** Names of tools by the ids of their calls. */
  readonly names: ReadonlyMap<string, string>
}

/** The body as JSON; the same request always gives the same bytes. */
export function requestBody(request: ModelRequest): string {
  return JSON.stringify(contentBody(request))
}

/** The body as a value. */
export function contentBody(request: ModelRequest) {
  const { messages, tools, maxOutputTokens, temperature, format, serviceTier } = request
  const system = messages.flatMap((message) => (message.role === 'system' && message.text ? [message.text] : []))
  const thinking = thinkingConfig(request)
  const generation = {
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(thinking === undefined ? {} : { thinkingConfig: thinking }),
    ...(format === undefined ? {} : formatFields(format)),
  }
  return {
    ...(system.length > 0 ? { systemInstruction: { parts: [{ text: system.join('\n\n') }] } } : {}),
    ...(tools.length > 0 ? { tools: [{ functionDeclarations: tools.map(declaration) }] } : {}),
    contents: contents(request),
    ...(Object.keys(generation).length > 0 ? { generationConfig: generation } : {}),
    // https://ai.google.dev/gemini-api/docs/priority-inference: left out, it is the usual one.
    ...(serviceTier === undefined || serviceTier === 'default' ? {} : { service_tier: serviceTier }),
  }
}

/** Neighbours of one role are one content: the service wants as many results in one as there were calls. */
function contents({ model, messages }: ModelRequest): Content[] {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
  const setting: PartContext = { model, names: new Map(calls.map((call) => [call.id, call.name])) }
  const wire: Content[] = []
  const push = (role: Content['role'], parts: Part[]) => {
    const last = wire.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else if (parts.length > 0) wire.push({ role, parts })
  }
  for (const message of messages) {
    if (message.role === 'assistant') push('model', createAnswerParts(message, setting))
    else if (message.role !== 'system') push('user', createUserParts(message, setting))
  }
  // Results come first among the parts of an answer to calls.
  for (const { parts } of wire) parts.sort((one, other) => rank(one) - rank(other))
  return wire[0]?.role === 'user' ? wire : [{ role: 'user', parts: [{ text: '(continued)' }] }, ...wire]
}

function rank(part: Part): number {
  return part.functionResponse ? 0 : 1
}

function createUserParts(message: Exclude<Message, { role: 'system' | 'assistant' }>, setting: PartContext): Part[] {
  const pictures = (message.images ?? []).map(picture)
  if (message.role === 'user') return [...textPart(message.text), ...pictures]
  const { callId, text, failed } = message
  const name = setting.names.get(callId) ?? 'unknown'
  const response = failed === true ? { error: text } : { output: text }
  return [{ functionResponse: { ...createIdField(callId, setting), name, response } }, ...pictures]
}

/** An answer in the order in which it was given, each part with its signature. Pictures are only counted in it. */
function createAnswerParts(message: Assistant, setting: PartContext): Part[] {
  const pictures = [...(message.images ?? [])]
  const parts = replayAnswer(message, { provider: gemini.id, model: setting.model }).flatMap((part): Part[] => {
    if (part.type === 'call') return [addSignature(callPart(part.call, setting), part.piece)]
    if (part.type === 'own') return pictures.splice(0, 1).map((image) => addSignature(picture(image), part.piece))
    // An empty text may be there for its signature only.
    const isWorth = part.text !== '' || part.piece?.['signature'] !== undefined
    return isWorth ? [addSignature({ text: part.text }, part.piece)] : []
  })
  parts.push(...pictures.map(picture))
  return EARLIER.test(setting.model) ? parts : signFirstCall(parts)
}

/** The first call of a step must have a signature. */
function signFirstCall(parts: Part[]): Part[] {
  const first = parts.findIndex(({ functionCall }) => functionCall)
  return parts.map((part, at) =>
    at === first && part.thoughtSignature === undefined ? { ...part, thoughtSignature: NO_SIGNATURE } : part,
  )
}

function addSignature(part: Part, piece: ProviderBlock | undefined): Part {
  const signature = piece?.['signature']
  return typeof signature === 'string' && signature !== '' ? { ...part, thoughtSignature: signature } : part
}

function callPart(call: ToolCall, setting: PartContext): Part {
  return { functionCall: { ...createIdField(call.id, setting), name: call.name, args: toObjectInput(call.input) } }
}

function createIdField(id: string, { model }: PartContext): { readonly id?: string } {
  return EARLIER.test(model) ? {} : { id }
}

function textPart(text: string): Part[] {
  return text === '' ? [] : [{ text }]
}

function picture(image: ImageContent): Part {
  const text = unsupportedImageText(image, PICTURES)
  return text === undefined ? { inlineData: { mimeType: image.mediaType, data: image.data } } : { text }
}

function declaration({ name, description, parameters }: ToolDefinition) {
  const schema = geminiParameters(toObjectSchema(parameters))
  return { name, description, ...(schema ? { parameters: schema } : {}) }
}
