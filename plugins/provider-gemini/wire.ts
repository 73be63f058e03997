/**
 * From a conversation to the body of `POST /models/<model>:streamGenerateContent`
 * (https://ai.google.dev/api/generate-content).
 */
import type { Image, Message, ModelRequest, ToolCall, ToolDefinition } from 'svc/sdk'
import { geminiParameters } from './schema.ts'

/** What stands for a signature that is not known any more (https://ai.google.dev/gemini-api/docs/thought-signatures). */
const NO_SIGNATURE = 'skip_thought_signature_validator'
/** Later models refuse a call without its signature. */
const WITHOUT_SIGNATURES = /^gemini-[12](\.|-|$)|^gemma/

interface Part {
  readonly text?: string
  readonly inlineData?: { readonly mimeType: string; readonly data: string }
  readonly functionCall?: { readonly name: string; readonly args: object }
  readonly functionResponse?: { readonly name: string; readonly response: object }
  readonly thoughtSignature?: string
}
interface Content {
  readonly role: 'user' | 'model'
  readonly parts: Part[]
}

/** The body as JSON. `signatures` are those that came with calls, by the id of the call. */
export function requestBody(request: ModelRequest, signatures: ReadonlyMap<string, string>): string {
  const { model, messages, tools, maxOutputTokens } = request
  const system = messages.flatMap((message) => (message.role === 'system' && message.text ? [message.text] : []))
  return JSON.stringify({
    ...(system.length > 0 ? { systemInstruction: { parts: [{ text: system.join('\n\n') }] } } : {}),
    ...(tools.length > 0 ? { tools: [{ functionDeclarations: tools.map(declaration) }] } : {}),
    contents: contents(messages, model, signatures),
    ...(maxOutputTokens === undefined ? {} : { generationConfig: { maxOutputTokens } }),
  })
}

/** Neighbours of one role are one content: the service wants as many results in one as there were calls. */
function contents(messages: readonly Message[], model: string, signatures: ReadonlyMap<string, string>): Content[] {
  const names = new Map(
    messages
      .flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
      .map((call) => [call.id, call.name]),
  )
  const wire: Content[] = []
  const push = (role: Content['role'], parts: Part[]) => {
    const last = wire.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else if (parts.length > 0) wire.push({ role, parts })
  }
  for (const message of messages) {
    if (message.role === 'assistant') push('model', answered(message, model, signatures))
    else if (message.role !== 'system') push('user', told(message, names))
  }
  // Results come first among the parts of an answer to calls.
  for (const { parts } of wire) parts.sort((one, other) => rank(one) - rank(other))
  return wire[0]?.role === 'user' ? wire : [{ role: 'user', parts: [{ text: '(continued)' }] }, ...wire]
}

function rank(part: Part): number {
  return part.functionResponse ? 0 : 1
}

function told(message: Exclude<Message, { role: 'system' | 'assistant' }>, names: ReadonlyMap<string, string>): Part[] {
  const pictures = (message.images ?? []).map(picture)
  if (message.role === 'user') return [...textPart(message.text), ...pictures]
  const name = names.get(message.callId) ?? 'unknown'
  return [{ functionResponse: { name, response: { output: message.text } } }, ...pictures]
}

function answered(
  { text, toolCalls = [] }: Extract<Message, { role: 'assistant' }>,
  model: string,
  signatures: ReadonlyMap<string, string>,
): Part[] {
  const calls = toolCalls.map((call, at): Part => {
    const isMissing = at === 0 && !WITHOUT_SIGNATURES.test(model)
    const signature = signatures.get(call.id) ?? (isMissing ? NO_SIGNATURE : undefined)
    return { functionCall: { name: call.name, args: argsOf(call) }, ...(signature && { thoughtSignature: signature }) }
  })
  return [...textPart(text), ...calls]
}

function textPart(text: string): Part[] {
  return text === '' ? [] : [{ text }]
}

function argsOf({ input }: ToolCall): object {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { unparsed: input }
}

function picture({ mediaType, data }: Image): Part {
  return { inlineData: { mimeType: mediaType, data } }
}

function declaration({ name, description, parameters }: ToolDefinition): object {
  const schema = geminiParameters(parameters)
  return { name, description, ...(schema ? { parameters: schema } : {}) }
}
