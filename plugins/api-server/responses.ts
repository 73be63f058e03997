/**
 * Responses, after the public reference (https://platform.openai.com/docs/api-reference/responses). A chain of responses
 * is a session; a response in its middle leads to a branch of it.
 */
import { Clock, type HttpReply, type HttpRequest, jsonReply, Random, Secrets, type TurnEvent } from 'svc/sdk'
import { z } from 'zod'
import { type Api, modelOf, refuseUnsupported, scopeOf, sessionHeaders, wants } from './api.ts'
import { chainBody, chainName, responseNotFound, saidIn, sessionFor, storedResponse } from './chain.ts'
import { bodyOf, event, eventReply, seconds } from './envelope.ts'
import { Output } from './output.ts'
import { type Outcome, tokensOf } from './turns.ts'

export const responseBody = chainBody.extend({
  store: z.boolean().nullish().meta({ description: 'Whether the response can be asked for and gone on from (true).' }),
  stream: z.union([z.boolean(), z.enum(['true', 'false'])]).nullish(),
})
type Body = z.infer<typeof responseBody>

/** One response under way. */
interface Answer {
  readonly api: Api
  readonly id: string
  readonly sessionId: string
  readonly scope: string
  readonly body: Body
  readonly createdAt: number
  readonly output: Output
}

/** POST /v1/responses. */
export async function respond(api: Api, request: HttpRequest, signal: AbortSignal): Promise<HttpReply> {
  const { ctx, turns } = api
  const body = await bodyOf(request, responseBody)
  refuseUnsupported(body)
  const said = await saidIn(api, body, signal)
  const scope = scopeOf(request)
  const sessionId = sessionFor(api, request, body, said)
  const random = ctx.use(Random)
  const answer: Answer = {
    api,
    id: `resp_${random.hex(14)}`,
    sessionId,
    scope,
    body,
    createdAt: seconds(ctx.use(Clock).now()),
    output: new Output(random, (text) => ctx.use(Secrets).mask(text)),
  }
  const { text, images } = said
  const events = await turns.begin({ sessionId, text, images, model: body.model, signal })
  keep(answer, 'in_progress')
  const headers = sessionHeaders(request, sessionId)
  if (wants(body.stream)) return eventReply(stream(answer, events), ctx.use(Clock), headers)
  return whole(answer, events, headers)
}

/** GET /v1/responses/{id}. */
export async function readResponse(api: Api, request: HttpRequest): Promise<HttpReply> {
  return { ...jsonReply({}), body: storedResponse(api, request, request.params['id'] ?? '').data }
}

/** DELETE /v1/responses/{id}. */
export async function removeResponse({ store }: Api, request: HttpRequest): Promise<HttpReply> {
  const id = request.params['id'] ?? ''
  if (!store.removeResponse(scopeOf(request), id)) throw responseNotFound(id)
  return jsonReply({ id, object: 'response', deleted: true })
}

async function whole(
  answer: Answer,
  events: AsyncIterable<TurnEvent>,
  headers: Readonly<Record<string, string>>,
): Promise<HttpReply> {
  const { output } = answer
  for await (const each of events) for (const _ of output.take(each)) void _
  for (const _ of output.close()) void _
  return jsonReply(keep(answer, statusOf(output.outcome)), 200, headers)
}

async function* stream(answer: Answer, events: AsyncIterable<TurnEvent>): AsyncGenerator<string> {
  const { output } = answer
  let count = 0
  const tell = (type: string, fields: object) => event({ type, sequence_number: count++, ...fields }, { name: type })
  let isOver = false
  try {
    const begun = objectOf(answer, 'in_progress')
    yield tell('response.created', { response: begun })
    yield tell('response.in_progress', { response: begun })
    for await (const each of events) for (const [type, fields] of output.take(each)) yield tell(type, fields)
    for (const [type, fields] of output.close()) yield tell(type, fields)
    isOver = true
    const status = statusOf(output.outcome)
    yield tell(`response.${status}`, { response: keep(answer, status) })
  } finally {
    // The client left: what it saw can still be asked for.
    if (!isOver) keep(answer, 'incomplete')
  }
}

type Status = 'in_progress' | 'completed' | 'incomplete' | 'failed'

function statusOf({ reason, error, isCut }: Outcome): Status {
  if (error || reason === 'failed' || reason === 'crashed') return 'failed'
  return reason === 'completed' && !isCut ? 'completed' : 'incomplete'
}

/** Writes the response down unless the client does not want that, and returns it. */
function keep(answer: Answer, status: Status): object {
  const { api, id, sessionId, scope, body, output } = answer
  const response = objectOf(answer, status)
  if (body.store === false) return response
  const { seq } = output.outcome
  const conversation = chainName(body)
  const data = JSON.stringify(response)
  // A chain goes on from what has an end.
  const isOver = status !== 'in_progress'
  api.store.putResponse(
    scope,
    { id, sessionId, seq: isOver ? seq : 0, data },
    isOver ? conversation : undefined,
    api.ctx.use(Clock).now(),
  )
  return response
}

function objectOf({ api, id, body, createdAt, output, sessionId }: Answer, status: Status): object {
  const { error, usage, isCut } = output.outcome
  const details = {
    input_tokens_details: { cached_tokens: usage.cachedInput ?? 0 },
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
  }
  const conversation = chainName(body)
  return {
    id,
    object: 'response',
    status,
    created_at: createdAt,
    model: modelOf(api, body.model),
    output: output.items(),
    error: status === 'failed' ? { code: 'server_error', message: error?.message ?? 'The turn failed.' } : null,
    incomplete_details: status === 'incomplete' ? { reason: isCut ? 'max_output_tokens' : 'interrupted' } : null,
    instructions: body.instructions ?? null,
    previous_response_id: body.previous_response_id ?? null,
    ...(conversation && { conversation: { id: conversation } }),
    usage: status === 'in_progress' ? null : { ...tokensOf(usage), ...details },
    metadata: {},
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    svc: { session_id: sessionId },
  }
}
