/**
 * Amazon Bedrock on loopback, runtime and control plane on one port, after its public pages:
 * docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html (requests, events, exceptions),
 * API_ListFoundationModels.html, API_ListInferenceProfiles.html, and smithy.io/2.0/aws/amazon-eventstream.html (frames).
 * Like the service it refuses a wrong key, blank texts, calls without their results or of tools that are not declared,
 * more than four cache points, and thoughts that are not as it gave them.
 */
import { crc32 } from 'node:zlib'
import { AwsV4Signer } from 'aws4fetch'
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
export interface BedrockServerOptions {
  /** In order, the last again and again; or a function of the request. */
  readonly replies?: readonly ServiceReply[] | ((request: ServiceRequest, index: number) => ServiceReply)
  readonly key?: string
  /** Takes requests that are signed with this access key instead. */
  readonly access?: SignedAccess
}

/** An access key of AWS as the service knows it. */
interface SignedAccess {
  readonly id: string
  readonly secret: string
  readonly region: string
  readonly sessionToken?: string
}

interface Block {
  readonly text?: string
  readonly toolUse?: { readonly toolUseId: string; readonly name: string }
  readonly toolResult?: { readonly toolUseId: string; readonly content: readonly Block[] }
  readonly reasoningContent?: { readonly reasoningText?: { readonly signature?: string } }
  readonly cachePoint?: object
}
interface Body {
  readonly additionalModelRequestFields?: { readonly reasoning_effort?: string }
  readonly system?: readonly Block[]
  readonly messages?: readonly { readonly role: string; readonly content: readonly Block[] }[]
  readonly toolConfig?: { readonly tools: readonly (Block & { readonly toolSpec?: { readonly name: string } })[] }
}

/** What stands below every thought. */
export const SIGNATURE = 'c2lnbmVk'

const EXCEPTIONS: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  503: 'ServiceUnavailableException',
}

/** Starts the fake. */
export async function startBedrockServer(options: BedrockServerOptions = {}): Promise<SseService> {
  const { replies = ['Hello.'], key = 'bedrock-key' } = options
  let calls = 0
  return startSseService(async (request) => {
    const closed = options.access ? await signatureProblem(request, options.access) : keyProblem(request, key)
    if (closed) return closed
    const list = LISTS[request.path.split('?')[0] ?? '']
    if (list) return { status: 200, body: JSON.stringify(list) }
    const model = /^\/model\/([^/]+)\/converse-stream$/.exec(request.path)?.[1]
    if (model === undefined) return error(404, 'Not found')
    if (model.startsWith('no-such')) return error(400, 'The provided model identifier is invalid.')
    const wrong = bedrockComplaint(request.body)
    if (wrong) return error(400, wrong)
    const reply = typeof replies === 'function' ? replies(request, calls) : replies[Math.min(calls, replies.length - 1)]
    calls += 1
    return answer(reply)
  })
}

function keyProblem({ headers }: ServiceRequest, key: string): ServiceAnswer | undefined {
  return headers.authorization === `Bearer ${key}`
    ? undefined
    : error(403, 'Authentication failed: API Key is not valid')
}

async function signatureProblem(request: ServiceRequest, access: SignedAccess): Promise<ServiceAnswer | undefined> {
  return (await isSigned(request, access)) ? undefined : unsigned()
}

/** Whether an independent signer comes to the same signature of what arrived. */
async function isSigned(
  { method, path, headers, body }: ServiceRequest,
  { id, secret, region, sessionToken }: SignedAccess,
): Promise<boolean> {
  const { authorization = '', 'x-amz-date': datetime } = headers
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? []
  if (headers['x-amz-security-token'] !== sessionToken || typeof datetime !== 'string') return false
  const signer = new AwsV4Signer({
    method,
    url: `http://${headers.host}${path}`,
    headers: Object.fromEntries(
      names
        .filter((name) => !/^(host|x-amz-date|x-amz-security-token)$/.test(name))
        .map((name) => [name, String(headers[name])]),
    ),
    ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
    accessKeyId: id,
    secretAccessKey: secret,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    service: 'bedrock',
    region,
    datetime,
    allHeaders: true,
  })
  return (await signer.sign()).headers.get('authorization') === authorization
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html */
function unsigned(): ServiceAnswer {
  const message =
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key.'
  return {
    status: 403,
    headers: { 'x-amzn-errortype': 'InvalidSignatureException' },
    body: JSON.stringify({ message }),
  }
}

const sonnet = 'anthropic.claude-sonnet-4-5-20250929-v1:0'
const MODELS = {
  modelSummaries: [
    {
      modelId: sonnet,
      modelName: 'Claude Sonnet 4.5',
      providerName: 'Anthropic',
      inputModalities: ['TEXT', 'IMAGE'],
      outputModalities: ['TEXT'],
      responseStreamingSupported: true,
      inferenceTypesSupported: ['INFERENCE_PROFILE'],
    },
    {
      modelId: 'amazon.nova-lite-v1:0',
      modelName: 'Nova Lite',
      providerName: 'Amazon',
      inputModalities: ['TEXT', 'IMAGE', 'VIDEO'],
      outputModalities: ['TEXT'],
      responseStreamingSupported: true,
      inferenceTypesSupported: ['ON_DEMAND'],
    },
    {
      modelId: 'amazon.titan-embed-text-v2:0',
      outputModalities: ['EMBEDDING'],
      inferenceTypesSupported: ['ON_DEMAND'],
    },
  ],
}
const PROFILES = {
  inferenceProfileSummaries: [
    {
      inferenceProfileId: `us.${sonnet}`,
      inferenceProfileName: 'US Claude Sonnet 4.5',
      status: 'ACTIVE',
      models: [{ modelArn: `arn:aws:bedrock:us-east-1::foundation-model/${sonnet}` }],
    },
    {
      inferenceProfileId: 'us.stability.upscale-v1:0',
      inferenceProfileName: 'US Upscale',
      status: 'ACTIVE',
      models: [{ modelArn: 'arn:aws:bedrock:us-east-1::foundation-model/stability.upscale-v1:0' }],
    },
  ],
}

const LISTS: Readonly<Record<string, object>> = { '/foundation-models': MODELS, '/inference-profiles': PROFILES }

/** What the service refuses in a request. */
export function bedrockComplaint(body: object): string | undefined {
  const { system = [], messages = [], toolConfig, additionalModelRequestFields: fields } = body as Body
  if (fields?.reasoning_effort === 'high') return 'reasoning_effort: "high" is not one of the values of this model'
  if (messages[0]?.role !== 'user') return 'A conversation must start with a user message.'
  if (messages.some(({ role }, at) => role === messages[at - 1]?.role)) return 'Roles must alternate.'
  const blocks = messages.flatMap(({ content }) => content)
  const all = [...system, ...blocks, ...blocks.flatMap(({ toolResult }) => toolResult?.content ?? [])]
  if (all.some(({ text }) => text !== undefined && text.trim() === '')) return 'The text field is blank.'
  const points = [...system, ...blocks, ...(toolConfig?.tools ?? [])].filter(({ cachePoint }) => cachePoint).length
  if (points > 4) return `Too many cache points: ${points}`
  const signed = blocks.flatMap(({ reasoningContent }) => reasoningContent?.reasoningText ?? [])
  if (signed.some(({ signature }) => signature !== SIGNATURE)) return 'Invalid `signature` in `thinking` block'
  return callComplaint(
    messages,
    toolConfig?.tools.flatMap(({ toolSpec }) => toolSpec?.name ?? []),
  )
}

function callComplaint(messages: NonNullable<Body['messages']>, declared?: readonly string[]): string | undefined {
  for (const [at, { content }] of messages.entries()) {
    if (content.length === 0) return `messages.${at}: content is empty`
    const uses = content.flatMap(({ toolUse }) => toolUse ?? [])
    if (uses.length > 0 && !declared) return 'The toolConfig field must be defined when using toolUse content blocks.'
    if (uses.some(({ toolUseId }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(toolUseId))) return 'toolUseId does not match'
    const asked = messages[at - 1]?.content.flatMap(({ toolUse }) => toolUse?.toolUseId ?? []) ?? []
    const told = content.flatMap(({ toolResult }) => toolResult?.toolUseId ?? [])
    if (content.some(({ toolResult }) => toolResult?.content.length === 0)) return 'toolResult.content is empty'
    if (told.some((id) => !asked.includes(id)) || asked.some((id) => !told.includes(id)))
      return 'Expected toolResult blocks for exactly the toolUse blocks of the previous turn.'
  }
  return undefined
}

function answer(given: ServiceReply = ''): ServiceAnswer {
  const reply = typeof given === 'object' ? given : { text: given }
  const { fault } = reply
  if (typeof fault === 'object') {
    const { headers, body } = error(fault.status, fault.message)
    return { status: fault.status, headers: { ...headers, ...fault.headers }, body: fault.body ?? body }
  }
  const whole = answerWith(reply, bedrockEvents(reply))
  return 'events' in whole ? { ...whole, contentType: 'application/vnd.amazon.eventstream' } : whole
}

function error(status: number, message = `Scripted error ${status}`) {
  const type = EXCEPTIONS[status] ?? 'UnknownException'
  return {
    status,
    headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
    body: JSON.stringify({ message }),
  }
}

/** The stream of a reply. */
export function bedrockEvents(reply: FullServiceReply): Buffer {
  const { calls = [], fault, finish } = reply
  const frames: Buffer[] = [event('messageStart', { role: 'assistant' })]
  let contentBlockIndex = 0
  const block = (deltas: readonly object[], start?: object) => {
    if (start) frames.push(event('contentBlockStart', { contentBlockIndex, start }))
    for (const delta of deltas) frames.push(event('contentBlockDelta', { contentBlockIndex, delta }))
    frames.push(event('contentBlockStop', { contentBlockIndex }))
    contentBlockIndex += 1
  }
  const thought = (reasoningContent: object) => ({ reasoningContent })
  if (reply.reasoning !== undefined)
    block([...toPieces(reply.reasoning).map((text) => thought({ text })), thought({ signature: SIGNATURE })])
  if (reply.redacted !== undefined) block([thought({ redactedContent: reply.redacted })])
  if (reply.text !== undefined) block(toPieces(reply.text).map((text) => ({ text })))
  for (const bytes of reply.images ?? []) block([{ image: { source: { bytes } } }], { image: { format: 'png' } })
  for (const { id = 'tooluse_1', name, arguments: input = {} } of calls) {
    const json = typeof input === 'string' ? input : JSON.stringify(input)
    const deltas = [json.slice(0, 5), json.slice(5)].filter(Boolean).map((text) => ({ toolUse: { input: text } }))
    block(deltas, { toolUse: { toolUseId: id, name } })
  }
  if (fault === 'garbage') frames.push(Buffer.from('this is no event stream at all'))
  if (fault === 'error-event') frames.push(exception('throttlingException', 'Too many requests.'))
  if (fault !== 'no-end') frames.push(...lastFrames(reply, finish ?? (calls.length > 0 ? 'tool_use' : 'end_turn')))
  return Buffer.concat(frames)
}

function lastFrames({ usage = { inputTokens: 7, outputTokens: 9 } }: FullServiceReply, stopReason: string): Buffer[] {
  return [event('messageStop', { stopReason }), event('metadata', { usage, metrics: { latencyMs: 12 } })]
}

function event(type: string, payload: object): Buffer {
  // The service pads events so that their length tells nothing.
  const padded = { ...payload, p: 'abcdefgh' }
  return frame({ ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }, padded)
}

/** An exception in the middle of a stream. */
export function exception(type: string, message: string): Buffer {
  return frame(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    { message },
  )
}

/** One message with headers of texts; `more` are headers as bytes that come before them. */
export function frame(
  headers: Readonly<Record<string, string>>,
  payload: object,
  more: readonly Buffer[] = [],
): Buffer {
  const texts = Object.entries(headers).map(([name, value]) => {
    const bytes = Buffer.from(value)
    const length = Buffer.alloc(2)
    length.writeUInt16BE(bytes.length)
    return Buffer.concat([Buffer.of(name.length), Buffer.from(name), Buffer.of(7), length, bytes])
  })
  const head = Buffer.concat([...more, ...texts])
  const body = Buffer.from(JSON.stringify(payload))
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(16 + head.length + body.length, 0)
  prelude.writeUInt32BE(head.length, 4)
  const first = Buffer.concat([prelude, checksum(prelude), head, body])
  return Buffer.concat([first, checksum(first)])
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(bytes))
  return sum
}
