/**
 * Responses, after the public reference (https://platform.openai.com/docs/api-reference/responses). A chain of responses
 * is a session; a response in its middle leads to a branch of it.
 */
import { Clock, Random, Secrets, SvcError } from 'svc/sdk'
import {
  ApiConversations,
  type ApiItem,
  type ApiRequest,
  eventStreamResponse,
  formatServerEvent,
  type HttpRequest,
  type HttpResponse,
  jsonResponse,
} from 'svc/sdk/web'
import { type Api, isOff, readScope, refuseUnsupported, sessionHeaders, wants } from './api.ts'
import { isInteractive } from './client-questions.ts'
import { about, createFieldError, DONE, seconds } from './envelope.ts'
import { inputItems, shortItem } from './input-items.ts'
import { type CallForm, Output, PROGRESS } from './output.ts'
import { replayResponse } from './replayed-events.ts'
import {
  type Answer,
  createEndedResponse,
  createResponseObject,
  getResponseStatus,
  type ResponseBody,
  type Status,
} from './response-object.ts'
import { chainName, readConversationInput, responseNotFound, sessionFor, storedResponse } from './session-chain.ts'
import type { SessionPosition } from './store.ts'
import { readTurnSettings } from './turn-settings.ts'

/** POST /v1/responses. */
export async function respond(
  api: Api,
  { http: request, body, signal }: ApiRequest<unknown, ResponseBody>,
): Promise<HttpResponse> {
  const { ctx } = api
  const isBackground = wants(body.background)
  if (isBackground && isOff(body.store))
    throw createFieldError('background', 'A response in the background has to be stored.')
  const stop = new AbortController()
  const until = isBackground ? AbortSignal.any([stop.signal, ctx.signal]) : signal
  const answer = await begin(api, { request, body, signal, until, isStopped: () => stop.signal.aborted })
  const headers = sessionHeaders(request, answer.sessionId, body)
  if (!isBackground && !wants(body.stream)) return createReply(answer, headers)
  const pieces = stream(answer)
  if (!isBackground) return eventStreamResponse(pieces, ctx.use(Clock), headers)
  const first = createResponseObject(answer, 'in_progress')
  const recording = api.background.begin(answer.id, pieces, stop)
  return wants(body.stream)
    ? eventStreamResponse(recording.follow(), ctx.use(Clock), headers)
    : jsonResponse(first, 200, headers)
}

/** What a response is asked with. */
export interface ResponseCall {
  readonly request: HttpRequest
  readonly body: ResponseBody
  /** Ends the reading of the request. */
  readonly signal: AbortSignal
  /** Ends the turn. */
  readonly until: AbortSignal
  isStopped(): boolean
  /** Where responses stand that are not stored. */
  readonly unstored?: (id: string) => SessionPosition | undefined
}

/** Creates and stores a response. Throws the error for the client. */
export async function begin(api: Api, asked: ResponseCall): Promise<Answer> {
  const { ctx, turns } = api
  const { request, body, signal, until, isStopped, unstored } = asked
  refuseUnsupported(body)
  const scope = readScope(request)
  const said = await readConversationInput(api, body, scope, signal)
  const { text, images } = said
  const settings = await readTurnSettings(api, body)
  const answeredBy = isInteractive(request, body) ? scope : undefined
  const begun = await turns.begin({ text, images, settings, signal: until, answeredBy }, () =>
    sessionFor(api, request, body, said, { unstored }),
  )
  const random = ctx.use(Random)
  const answer: Answer = {
    ...begun,
    api,
    said,
    scope,
    body,
    id: responseId(random),
    createdAt: seconds(ctx.use(Clock).now()),
    output: new Output(random, (shown) => ctx.use(Secrets).mask(shown), callForm(request)),
    input: inputItems(body.input, random),
    isStopped,
  }
  start(answer)
  return answer
}

export function responseId(random: Random): string {
  return `resp_${random.hex(14)}`
}

/** GET /v1/responses/{id}, also as a stream of events behind `starting_after`. */
export async function readResponse(api: Api, request: HttpRequest): Promise<HttpResponse> {
  const { id, data } = storedResponse(api, request, request.params['id'] ?? '')
  if (!wants(request.query.get('stream'))) return { ...jsonResponse({}), body: data }
  const after = request.query.get('starting_after')
  if (after !== null && !/^\d{1,9}$/.test(after))
    throw createFieldError('starting_after', 'starting_after is a number.')
  const from = after === null ? 0 : Number(after) + 1
  const live = api.background.follow(id, from)
  const response = JSON.parse(data) as { readonly status: Status }
  if (!live && response.status === 'in_progress')
    throw createFieldError('stream', 'Only a response in the background can be followed before its end.')
  return eventStreamResponse(live ?? replayResponse(response, from), api.ctx.use(Clock))
}

/** GET /v1/responses/{id}/input_items. */
export async function readInputItems(api: Api, request: HttpRequest): Promise<HttpResponse> {
  const { id } = storedResponse(api, request, request.params['id'] ?? '')
  const items = JSON.parse(api.store.findInput(readScope(request), id) ?? '[]') as { readonly id: string }[]
  return jsonResponse(createPage(items, request.query))
}

const DEFAULT_LIMIT = 20
const MAX_PAGE_SIZE = 100

function createPage(items: readonly { readonly id: string }[], query: URLSearchParams): object {
  const ordered = query.get('order') === 'asc' ? items : items.toReversed()
  const after = query.get('after')
  const from = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1
  if (after !== null && from === 0) throw createFieldError('after', 'after is the id of none of these items.')
  const limit = Math.min(Math.max(Number(query.get('limit') ?? DEFAULT_LIMIT) || DEFAULT_LIMIT, 1), MAX_PAGE_SIZE)
  const data = ordered.slice(from, from + limit)
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + limit < ordered.length,
  }
}

/** POST /v1/responses/{id}/cancel. What is over stays as it is. */
export async function cancelResponse(api: Api, request: HttpRequest): Promise<HttpResponse> {
  const { id } = storedResponse(api, request, request.params['id'] ?? '')
  const isStopped = await api.background.stop(id)
  const { data } = storedResponse(api, request, id)
  const { status, background } = JSON.parse(data) as { readonly status: Status; readonly background: boolean }
  if (!isStopped && (status === 'in_progress' || !background))
    throw about(
      'id',
      new SvcError('API_NOT_IN_BACKGROUND', 'Only a response in the background can be cancelled.', { status: 400 }),
    )
  return { ...jsonResponse({}), body: data }
}

/** DELETE /v1/responses/{id}. */
export async function removeResponse({ store, background }: Api, request: HttpRequest): Promise<HttpResponse> {
  const id = request.params['id'] ?? ''
  if (!store.removeResponse(readScope(request), id)) throw responseNotFound(id)
  void background.stop(id)
  return jsonResponse({ id, object: 'response', deleted: true })
}

function callForm({ headers }: HttpRequest): CallForm {
  return headers['x-svc-tool-items'] === 'function_call' ? 'function_call' : 'mcp_call'
}

async function createReply(answer: Answer, headers: Readonly<Record<string, string>>): Promise<HttpResponse> {
  const { output, events } = answer
  for await (const each of events) for (const _ of output.take(each)) void _
  for (const _ of output.close()) void _
  return jsonResponse(end(answer, getResponseStatus(answer)), 200, headers)
}

/** Each event under its name; the last is the mark that Open Responses asks for and others pass over. */
async function* stream(answer: Answer): AsyncGenerator<string> {
  for await (const each of streamEvents(answer)) yield formatServerEvent(each, { name: each.type })
  yield DONE
}

/** An event as clients get it. */
export interface ResponseEvent {
  readonly type: string
  readonly sequence_number: number
}

/** All events up to the end, which is stored even if no client reads that far. */
export async function* streamEvents(answer: Answer): AsyncGenerator<ResponseEvent> {
  const { output, events } = answer
  let count = 0
  const tell = (type: string, fields: object): ResponseEvent => ({ type, sequence_number: count++, ...fields })
  let isOver = false
  try {
    const begun = createResponseObject(answer, 'in_progress')
    yield tell('response.created', { response: begun })
    yield tell(PROGRESS, { response: begun })
    for await (const each of events)
      for (const [type, fields] of output.take(each))
        yield tell(
          type,
          type === PROGRESS ? { response: createResponseObject(answer, 'in_progress'), ...fields } : fields,
        )
    for (const [type, fields] of output.close()) yield tell(type, fields)
    isOver = true
    const status = getResponseStatus(answer)
    // Cancelled work has no event.
    yield tell(`response.${status === 'cancelled' ? 'incomplete' : status}`, { response: end(answer, status) })
  } finally {
    // The client left: what it saw can still be asked for.
    if (!isOver) end(answer, 'incomplete')
  }
}

/** Writes down that it has begun, unless the client does not want it stored. */
function start(answer: Answer): void {
  const { api, id, sessionId, scope, body } = answer
  if (isOff(body.store)) return
  const data = JSON.stringify(createResponseObject(answer, 'in_progress'))
  const input = JSON.stringify(answer.input.map(shortItem))
  api.store.putResponse(scope, { id, sessionId, data }, input, api.ctx.use(Clock).now())
}

/** Writes down how it ended, and returns it. */
function end(answer: Answer, status: Status): object {
  const { api, scope, body, said, sessionId, output } = answer
  const { outcome } = output
  const response = createResponseObject(answer, status)
  if (outcome.isComplete) api.places.noteWords(said, scope, outcome.text, { sessionId, seq: outcome.seq })
  const { seq } = outcome
  const conversation = chainName(body)
  if (conversation !== undefined && seq > 0) {
    const items = [...answer.input, ...(output.items(true) as readonly ApiItem[])]
    api.ctx.find(ApiConversations)?.append(conversation, scope, items, { sessionId, seq })
  }
  if (!isOff(body.store)) api.store.endResponse(scope, createEndedResponse(answer, response), api.ctx.use(Clock).now())
  return response
}
