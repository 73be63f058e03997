/**
 * Google's generative language API on loopback, after its public pages: ai.google.dev/api/generate-content (requests,
 * streamed responses, finish reasons), /api/models, /gemini-api/docs/thought-signatures and
 * /gemini-api/docs/troubleshooting (errors, `google.rpc.RetryInfo`). Like the service it refuses a wrong key with status
 * 400, roles that are none, fields of a schema that it does not know, a call without its result, and, for models from
 * version 3 on, a call without its signature. A signature that says so is refused.
 */
import {
  answerWith,
  type FullServiceReply,
  type ServiceAnswer,
  type ServiceReply,
  type ServiceRequest,
  type SseService,
  startSseService,
  toPieces,
} from './sse-service.ts'

/** What to start. */
export interface GeminiServerOptions {
  /** In order, the last again and again; or a function of the request. */
  readonly replies?: readonly ServiceReply[] | ((request: ServiceRequest, index: number) => ServiceReply)
  readonly key?: string
}

interface Part {
  readonly text?: string
  readonly functionCall?: object
  readonly functionResponse?: object
  readonly thoughtSignature?: string
}
interface Body {
  readonly generationConfig?: { readonly thinkingConfig?: object }
  readonly contents?: readonly { readonly role: string; readonly parts: readonly Part[] }[]
  readonly tools?: readonly { readonly functionDeclarations: readonly { readonly parameters?: object }[] }[]
}

const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}
/** Fields of `Schema`, ai.google.dev/api/caching#Schema. */
export const SCHEMA_FIELDS: readonly string[] = (
  'type format title description nullable enum maxItems minItems properties required minProperties maxProperties ' +
  'minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum'
).split(' ')

/** A signature that the service does not take. */
export const REFUSED = 'cmVmdXNlZA=='

/** Starts the fake. */
export async function startGeminiServer(options: GeminiServerOptions = {}): Promise<SseService> {
  const { replies = ['Hello.'], key = 'gemini-key' } = options
  let calls = 0
  return startSseService((request) => {
    if (request.headers['x-goog-api-key'] !== key) return error(400, 'API key not valid. Please pass a valid API key.')
    if (request.path.startsWith('/v1beta/models?')) return { status: 200, body: JSON.stringify(MODELS) }
    const model = /^\/v1beta\/models\/([^/:]+):streamGenerateContent\?alt=sse$/.exec(request.path)?.[1]
    if (model === undefined) return error(404, 'Not found')
    if (model.startsWith('no-such')) return error(404, `models/${model} is not found for API version v1beta`)
    const wrong = thinkingComplaint(request.body, model) ?? geminiComplaint(request.body, model)
    if (wrong) return error(400, wrong)
    const reply = typeof replies === 'function' ? replies(request, calls) : replies[Math.min(calls, replies.length - 1)]
    calls += 1
    return answer(reply)
  })
}

const MODELS = {
  models: [
    {
      name: 'models/gemini-2.5-flash',
      displayName: 'Gemini 2.5 Flash',
      inputTokenLimit: 1_048_576,
      outputTokenLimit: 65_536,
      supportedGenerationMethods: ['generateContent', 'countTokens'],
    },
    { name: 'models/gemini-embedding-001', supportedGenerationMethods: ['embedContent'] },
    { name: 'models/gemini-2.5-flash-preview-tts', supportedGenerationMethods: ['generateContent'] },
  ],
}

function thinkingComplaint({ generationConfig }: Body, model: string): string | undefined {
  const isAsked = model === 'gemini-9' && generationConfig?.thinkingConfig
  return isAsked ? 'Thinking level is not supported for this model.' : undefined
}

/** What the service refuses in a request to a model. */
export function geminiComplaint(body: object, model: string): string | undefined {
  const { contents = [], tools = [] } = body as Body
  if (contents[0]?.role !== 'user') return 'Please ensure that function call turn comes immediately after a user turn'
  if (contents.some(({ parts }) => parts.some(({ thoughtSignature }) => thoughtSignature === REFUSED)))
    return 'Thought signature is not valid.'
  for (const [at, { role, parts }] of contents.entries()) {
    if (role !== 'user' && role !== 'model') return 'Please use a valid role: user, model.'
    if (parts.length === 0) return `contents[${at}].parts: must not be empty`
    const asked = parts.filter(({ functionCall }) => functionCall)
    const told = contents[at + 1]?.parts.filter(({ functionResponse }) => functionResponse) ?? []
    if (asked.length !== told.length)
      return 'Please ensure that the number of function response parts is equal to the number of function call parts'
    if (model.startsWith('gemini-3') && asked[0] && !asked[0].thoughtSignature)
      return 'Function call is missing a thought_signature in functionCall parts.'
  }
  const unknown = tools
    .flatMap(({ functionDeclarations }) => functionDeclarations)
    .flatMap(({ parameters }) => (parameters ? unknownFields(parameters) : []))
  return unknown[0] && `Invalid JSON payload received. Unknown name "${unknown[0]}"`
}

/** Names of a schema that the service does not know. */
export function unknownFields(schema: object): string[] {
  return Object.entries(schema).flatMap(([name, value]) => {
    if (!SCHEMA_FIELDS.includes(name)) return [name]
    if (name === 'properties') return Object.values(value as Record<string, object>).flatMap(unknownFields)
    if (name === 'items') return unknownFields(value as object)
    return name === 'anyOf' ? (value as object[]).flatMap(unknownFields) : []
  })
}

function answer(given: ServiceReply = ''): ServiceAnswer {
  const reply = typeof given === 'object' ? given : { text: given }
  const { fault } = reply
  if (typeof fault !== 'object') return answerWith(reply, geminiEvents(reply))
  return { ...error(fault.status, fault.message), headers: fault.headers, ...(fault.body ? { body: fault.body } : {}) }
}

function error(code: number, message = `Scripted error ${code}`) {
  return { status: code, body: JSON.stringify({ error: { code, message, status: STATUSES[code] ?? 'UNKNOWN' } }) }
}

/** The stream of a reply. */
export function geminiEvents(reply: FullServiceReply): string {
  const { calls = [], fault, finish = 'STOP', usage = { promptTokenCount: 7, candidatesTokenCount: 9 } } = reply
  if (reply.blocked !== undefined)
    return event({ promptFeedback: { blockReason: reply.blocked }, usageMetadata: { promptTokenCount: 7 } })
  const parts: object[] = [
    ...toPieces(reply.reasoning).map((text) => ({ text, thought: true })),
    ...toPieces(reply.text).map((text) => ({ text })),
    ...(reply.images ?? []).map((data) => ({ inlineData: { mimeType: 'image/png', data } })),
    ...calls.map(({ name, arguments: args = {}, signature }) => ({
      functionCall: { name, args },
      ...(signature === undefined ? {} : { thoughtSignature: signature }),
    })),
  ]
  const chunk = (part: object, more: object = {}) =>
    event({ candidates: [{ content: { parts: [part], role: 'model' }, index: 0, ...more }], usageMetadata: usage })
  const end = fault === 'no-end' ? [] : [chunk({ text: '' }, { finishReason: finish })]
  return [
    ...parts.map((part) => chunk(part)),
    ...(fault === 'garbage' ? ['data: {"candidates": [{"con\n\n'] : []),
    ...(fault === 'error-event'
      ? [event({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } })]
      : []),
    ...end,
  ].join('')
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\r\n\r\n`
}
