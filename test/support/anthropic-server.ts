/**
 * Anthropic's Messages API on loopback, after its public pages: docs.anthropic.com/en/api/messages,
 * /en/docs/build-with-claude/streaming (events and their order, pings), /en/api/errors (shapes and statuses, 529) and
 * /en/api/models-list, and platform.claude.com/docs/en/build-with-claude/fast-mode. Like the service it refuses a wrong key, an empty text, a first message that is not the user's,
 * a result without its call, more than four cache marks, and thoughts that are not as it gave them
 * (platform.claude.com/docs/en/build-with-claude/extended-thinking).
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
export interface AnthropicServerOptions {
  /** In order, the last again and again; or a function of the request. */
  readonly replies?: readonly ServiceReply[] | ((request: ServiceRequest, index: number) => ServiceReply)
  readonly key?: string
}

interface Block {
  readonly type: string
  readonly text?: string
  readonly id?: string
  readonly tool_use_id?: string
  readonly signature?: string
  readonly cache_control?: unknown
}
interface Body {
  readonly model?: string
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number }
  readonly temperature?: number
  readonly max_tokens?: number
  readonly speed?: string
  readonly system?: readonly Block[]
  readonly tools?: readonly Block[]
  readonly messages?: readonly { readonly role: string; readonly content: readonly Block[] }[]
}

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
}

/** What stands below every thought. */
export const SIGNATURE = 'EqQBCgIYAhIM'

/** Starts the fake. */
export async function startAnthropicServer(options: AnthropicServerOptions = {}): Promise<SseService> {
  const { replies = ['Hello.'], key = 'anthropic-key' } = options
  let calls = 0
  return startSseService((request) => {
    if (request.headers['x-api-key'] !== key) return error(401, 'invalid x-api-key')
    if (request.headers['anthropic-version'] !== '2023-06-01')
      return error(400, 'anthropic-version: header is required')
    if (request.path.startsWith('/v1/models')) return { status: 200, body: JSON.stringify(MODELS) }
    if (request.path !== '/v1/messages') return error(404, 'Not found')
    const wrong = anthropicComplaint(request.body) ?? speedComplaint(request)
    if (wrong) return error(400, wrong)
    const reply = typeof replies === 'function' ? replies(request, calls) : replies[Math.min(calls, replies.length - 1)]
    calls += 1
    return answer(withSpeed(request, reply ?? ''))
  })
}

const MODELS = {
  data: [
    {
      type: 'model',
      id: 'claude-sonnet-4-5-20250929',
      display_name: 'Claude Sonnet 4.5',
      created_at: '2025-09-29T00:00:00Z',
    },
    {
      type: 'model',
      id: 'claude-3-5-haiku-20241022',
      display_name: 'Claude Haiku 3.5',
      created_at: '2024-10-22T00:00:00Z',
    },
  ],
  has_more: false,
  first_id: 'claude-sonnet-4-5-20250929',
  last_id: 'claude-3-5-haiku-20241022',
}

/** What the service refuses in a request. */
export function anthropicComplaint(body: object): string | undefined {
  const { max_tokens, system = [], tools = [], messages = [] } = body as Body
  if (!max_tokens) return 'max_tokens: Field required'
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role'
  const blocks = [...system, ...messages.flatMap(({ content }) => content)]
  if (blocks.some(({ type, text }) => type === 'text' && !text))
    return 'messages: text content blocks must be non-empty'
  const marks = [...tools, ...blocks].filter(({ cache_control }) => cache_control).length
  const wrong = thoughtComplaint(body as Body)
  if (wrong) return wrong
  if (marks > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`
  if (messages.some(({ role }, at) => role === messages[at - 1]?.role)) return 'messages: roles must alternate'
  for (const [at, { content }] of messages.entries()) {
    if (content.length === 0) return `messages.${at}: content must not be empty`
    const asked = messages[at - 1]?.content.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : [])) ?? []
    const told = content.flatMap(({ type, tool_use_id }) => (type === 'tool_result' ? [tool_use_id] : []))
    if (told.some((id) => !asked.includes(id)))
      return `messages.${at}: unexpected tool_use_id found in tool_result blocks`
    if (asked.some((id) => !told.includes(id)))
      return `messages.${at}: tool_use ids were found without tool_result blocks`
  }
  return undefined
}

const FAST = /^claude-(opus-5-5|opus-5|opus-4-8|fable-5-2|mythos-5-2)$/
const WITH_BETA = /^claude-(opus-5|opus-4-8)$/

/** A speed is for some models only, and wants the name of its beta for some of these. */
function speedComplaint({ body, headers }: ServiceRequest): string | undefined {
  const { speed, model = '' } = body as Body
  if (speed === undefined || speed === 'standard') return undefined
  if (speed !== 'fast' || !FAST.test(model)) return `speed: '${speed}' is not supported on this model.`
  const betas = String(headers['anthropic-beta'] ?? '').split(',')
  return WITH_BETA.test(model) && !betas.includes('fast-mode-2026-02-01')
    ? 'speed: Extra inputs are not permitted'
    : undefined
}

/** The speed stands with the counts. */
function withSpeed({ body }: ServiceRequest, given: ServiceReply): FullServiceReply {
  const reply = typeof given === 'object' ? given : { text: given }
  if ((body as Body).speed !== 'fast') return reply
  return { ...reply, usage: { input_tokens: 7, speed: 'fast', ...reply.usage } }
}

/** Thoughts as they were given, and at the beginning of an answer whose calls are being answered. */
function thoughtComplaint({ model, max_tokens = 0, messages = [], thinking, temperature }: Body): string | undefined {
  if (model === 'claude-opus-9' && thinking) return `"thinking.type.${thinking.type}" is not supported for this model.`
  const blocks = messages.flatMap(({ content }) => content)
  const thoughts = blocks.filter(({ type }) => type === 'thinking')
  if (thoughts.some(({ signature }) => signature !== SIGNATURE))
    return 'messages.1.content.0: Invalid `signature` in `thinking` block'
  if (thoughts.some(({ cache_control }) => cache_control)) return 'thinking: cache_control is not permitted'
  if (thinking?.type !== 'enabled') return undefined
  const { budget_tokens: budget = 0 } = thinking
  if (budget < 1024 || budget >= max_tokens) return '`max_tokens` must be greater than `thinking.budget_tokens`'
  if (temperature !== undefined && temperature !== 1)
    return '`temperature` may only be set to 1 when thinking is enabled'
  const isInside = messages.at(-1)?.content.some(({ type }) => type === 'tool_result')
  const first = messages.at(-2)?.content[0]?.type ?? ''
  return isInside && !['thinking', 'redacted_thinking'].includes(first)
    ? 'Expected `thinking` or `redacted_thinking`, but found `tool_use`.'
    : undefined
}

function answer(reply: FullServiceReply): ServiceAnswer {
  const { fault } = reply
  if (typeof fault !== 'object') return answerWith(reply, anthropicEvents(reply))
  return { ...error(fault.status, fault.message), headers: fault.headers, ...(fault.body ? { body: fault.body } : {}) }
}

function error(status: number, message = `Scripted error ${status}`) {
  const body = { type: 'error', error: { type: TYPES[status] ?? 'api_error', message }, request_id: 'req_fake' }
  return { status, body: JSON.stringify(body) }
}

/** The stream of a reply. */
export function anthropicEvents(reply: FullServiceReply): string {
  const { calls = [], fault, finish, usage } = reply
  const blocks: (readonly [object, readonly object[]])[] = [
    ...(reply.reasoning === undefined
      ? []
      : [
          [
            { type: 'thinking', thinking: '', signature: '' },
            [
              ...toPieces(reply.reasoning).map((thinking) => ({ type: 'thinking_delta', thinking })),
              { type: 'signature_delta', signature: SIGNATURE },
            ],
          ] as const,
        ]),
    ...(reply.redacted === undefined ? [] : [[{ type: 'redacted_thinking', data: reply.redacted }, []] as const]),
    ...(reply.text === undefined
      ? []
      : [[{ type: 'text', text: '' }, toPieces(reply.text).map((text) => ({ type: 'text_delta', text }))] as const]),
    ...calls.map(({ id = 'toolu_1', name, arguments: input = {} }) => {
      const json = typeof input === 'string' ? input : JSON.stringify(input)
      const pieces = ['', json.slice(0, 5), json.slice(5)].filter((piece, at) => at === 0 || piece !== '')
      const deltas = pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }))
      return [{ type: 'tool_use', id, name, input: {} }, deltas] as const
    }),
  ]
  const start = {
    id: 'msg_fake',
    type: 'message',
    role: 'assistant',
    model: 'claude-fake',
    content: [],
    stop_reason: null,
  }
  const { output_tokens = 9, ...counts } = usage ?? { input_tokens: 7 }
  return [
    event('message_start', { message: { ...start, usage: { ...counts, output_tokens: 1 } } }),
    event('ping', {}),
    ...blocks.flatMap(([content_block, deltas], index) => [
      event('content_block_start', { index, content_block }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ]),
    ...(fault === 'garbage' ? ['event: content_block_delta\ndata: {"type": "content_bl\n\n'] : []),
    ...(fault === 'error-event'
      ? [event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } })]
      : []),
    ...(fault === 'no-end'
      ? []
      : [
          event('message_delta', {
            delta: { stop_reason: finish ?? (calls.length > 0 ? 'tool_use' : 'end_turn'), stop_sequence: null },
            usage: { output_tokens },
          }),
          event('message_stop', {}),
        ]),
  ].join('')
}

function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
}
