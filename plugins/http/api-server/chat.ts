/**
 * Chat completions, after the public reference (https://platform.openai.com/docs/api-reference/chat). The client's tools
 * are not used: the agent has its own, and says what they do in a member `svc` of chunks that say nothing else.
 */
import { Clock, Random, Secrets, type TurnEvent, TurnOutcome, type Usage } from 'svc/sdk'
import { MediaFiles } from 'svc/sdk/media'
import { toolCallLabel } from 'svc/sdk/terminal'
import {
  type ApiRequest,
  eventStreamResponse,
  formatServerEvent,
  type HttpRequest,
  type HttpResponse,
  jsonResponse,
} from 'svc/sdk/web'
import { z } from 'zod'
import {
  type Api,
  chooseModelName,
  clientFields,
  flag,
  readScope,
  refuseUnsupported,
  sessionHeaders,
  wants,
} from './api.ts'
import { isInteractive } from './client-questions.ts'
import { DONE, headerId, seconds } from './envelope.ts'
import { imageReader, type ParsedInput, readMessages } from './input.ts'
import { toQuestionEvent } from './question-format.ts'
import { readTurnSettings } from './turn-settings.ts'
import type { Chosen } from './turns.ts'

export const chatBody = z.looseObject({
  model: z.string().optional().meta({ description: 'Echoed; one of `model_routes` chooses another model.' }),
  messages: z.array(z.unknown()).meta({ description: 'All that was said; system messages go behind the core prompt.' }),
  stream: flag.nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish().meta({ description: 'Echoed.' }),
  svc: clientFields,
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
})

/** One answer under way. */
interface Chat {
  readonly id: string
  readonly created: number
  readonly model: string
  readonly outcome: TurnOutcome
  /** Progress of tools comes as events with a name; some libraries take those for something else than chunks. */
  readonly hasNamedEvents: boolean
  readonly metadata: object | undefined
  readonly events: AsyncIterable<TurnEvent>
  mask(text: string): string
  /** Called at its end. */
  note(): void
}

/** POST /v1/chat/completions. */
export async function complete(
  api: Api,
  { http: request, body, signal }: ApiRequest<unknown, z.infer<typeof chatBody>>,
): Promise<HttpResponse> {
  const { ctx, turns } = api
  refuseUnsupported(body)
  const said = await readMessages(body.messages, 'messages', { image: imageReader(ctx.find(MediaFiles), signal) })
  const { text, images } = said
  const settings = await readTurnSettings(api, body)
  const answeredBy = isInteractive(request, body) ? readScope(request) : undefined
  const { sessionId, events } = await turns.begin({ text, images, settings, signal, answeredBy }, () =>
    sessionFor(api, request, said),
  )
  const outcome = new TurnOutcome()
  const chat: Chat = {
    id: `chatcmpl-${ctx.use(Random).hex(15).slice(0, 29)}`,
    created: seconds(ctx.use(Clock).now()),
    model: chooseModelName(api, body.model),
    outcome,
    hasNamedEvents: request.headers['x-svc-tool-progress'] === 'event',
    metadata: body.metadata ?? undefined,
    events,
    mask: (shown) => ctx.use(Secrets).mask(shown),
    note: () => {
      if (outcome.isComplete)
        api.places.noteWords(said, readScope(request), outcome.text, { sessionId, seq: outcome.seq })
    },
  }
  const headers = sessionHeaders(request, sessionId, body)
  if (!wants(body.stream)) return createReply(chat, headers)
  const pieces = stream(chat, body.stream_options?.include_usage === true)
  return eventStreamResponse(pieces, ctx.use(Clock), headers)
}

function sessionFor({ places }: Api, request: HttpRequest, said: ParsedInput): Chosen {
  const id = headerId(request, 'x-svc-session-id')
  const scope = readScope(request)
  return id === undefined ? places.forWords(said, scope) : places.openOrBegin(id, said, scope)
}

async function createReply(chat: Chat, headers: Readonly<Record<string, string>>): Promise<HttpResponse> {
  const { id, created, model, outcome } = chat
  for await (const each of chat.events) outcome.take(each)
  chat.note()
  const incomplete = getIncompleteReason(outcome)
  if (!outcome.text && incomplete) {
    const { message, ...rest } = incomplete
    const error = { message, type: 'server_error', param: null, code: 'agent_incomplete', svc: rest }
    return jsonResponse({ error }, 502, headers)
  }
  const choice = {
    index: 0,
    message: { role: 'assistant', content: outcome.text, refusal: null, annotations: [] },
    logprobs: null,
    finish_reason: toFinishReason(outcome),
  }
  const reply = {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [choice],
    usage: formatUsage(outcome.usage),
    service_tier: 'default',
    system_fingerprint: null,
    ...(chat.metadata && { metadata: chat.metadata }),
  }
  if (!incomplete) return jsonResponse(reply, 200, headers)
  return jsonResponse({ ...reply, svc: incomplete }, 200, { ...headers, ...incompleteHeaders(incomplete) })
}

async function* stream(chat: Chat, hasUsageChunk: boolean): AsyncGenerator<string> {
  const { outcome } = chat
  const started = new Set<string>()
  // Written by hand up to the text: this runs for every piece of it.
  const head = `data: {"id":"${chat.id}","object":"chat.completion.chunk","created":${chat.created},"model":${JSON.stringify(chat.model)},"choices":[{"index":0,"delta":{"content":`
  yield chunk(chat, { delta: { role: 'assistant', content: '' } })
  for await (const each of chat.events) {
    const text = outcome.take(each)
    if (text) yield `${head}${JSON.stringify(text)}},"logprobs":null,"finish_reason":null}]}\n\n`
    const asked = toQuestionEvent(each, chat.mask)
    if (asked) yield chunk(chat, { delta: {} }, { svc: { event: asked[0], ...asked[1] } })
    const progress = toProgressChunk(each, started, chat)
    if (progress && chat.hasNamedEvents)
      yield formatServerEvent({ ...base(chat, { delta: {} }), ...progress }, { name: 'svc.tool.progress' })
    else if (progress) yield chunk(chat, { delta: {} }, { svc: { event: 'tool.progress', ...progress } })
  }
  chat.note()
  const incomplete = getIncompleteReason(outcome)
  const usage = formatUsage(outcome.usage)
  const problem = incomplete && { error: { message: incomplete.message, type: 'server_error' }, svc: incomplete }
  yield chunk(
    chat,
    { delta: {}, finish_reason: toFinishReason(outcome) },
    { ...(!hasUsageChunk && { usage }), ...problem },
  )
  if (hasUsageChunk) yield formatServerEvent({ ...base(chat), choices: [], usage })
  yield DONE
}

function base({ id, created, model }: Chat, choice?: object): object {
  const choices = choice ? { choices: [{ index: 0, logprobs: null, finish_reason: null, ...choice }] } : {}
  return { id, object: 'chat.completion.chunk', created, model, ...choices }
}

function chunk(chat: Chat, choice: object, more: object = {}): string {
  return formatServerEvent({ ...base(chat, choice), ...more })
}

/** The progress of a tool as a chunk without choices: libraries read every event as a chunk. */
function toProgressChunk(each: TurnEvent, started: Set<string>, { mask }: Pick<Chat, 'mask'>): object | undefined {
  if (each.type === 'tool.start' && !each.name.startsWith('_')) {
    started.add(each.callId)
    return { tool: each.name, label: toolCallLabel(each.input, mask), toolCallId: each.callId, status: 'running' }
  }
  if (each.type !== 'tool.complete' || !started.delete(each.callId)) return undefined
  return { tool: each.name, toolCallId: each.callId, status: 'completed', ok: each.ok }
}

/** What is missing at an answer that is not complete. */
interface IncompleteReason {
  readonly completed: false
  readonly partial: boolean
  readonly failed: boolean
  readonly message: string
  readonly error_code: 'output_truncated' | 'agent_error'
}

function getIncompleteReason(outcome: TurnOutcome): IncompleteReason | undefined {
  const { text, reason, error, isCut } = outcome
  if (outcome.isComplete && !isCut) return undefined
  const isFailed = reason === 'failed' || reason === 'crashed'
  const message = error?.message ?? (isCut ? 'The answer was cut: output limit.' : `The turn ended early: ${reason}.`)
  const code = isCut && !error ? 'output_truncated' : 'agent_error'
  return { completed: false, partial: text !== '', failed: isFailed, message, error_code: code }
}

const MAX_HEADER = 200

function incompleteHeaders({ partial, message }: IncompleteReason): Readonly<Record<string, string>> {
  const said = message.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, MAX_HEADER)
  return { 'x-svc-completed': 'false', 'x-svc-partial': String(partial), 'x-svc-error': said }
}

function toFinishReason(outcome: TurnOutcome): 'stop' | 'length' | 'error' {
  if (outcome.isCut && !outcome.error) return 'length'
  return outcome.error || outcome.reason === 'interrupted' ? 'error' : 'stop'
}

function formatUsage({ input = 0, output = 0, cachedInput, reasoning }: Usage): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cachedInput !== undefined && { prompt_tokens_details: { cached_tokens: cachedInput } }),
    ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  }
}
