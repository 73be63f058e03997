/** Sessions over HTTP: list, begin, look, name, branch, remove, and talk in them. */
import {
  Clock,
  type HttpReply,
  type HttpRequest,
  jsonReply,
  type Message,
  Random,
  Secrets,
  type SessionSummary,
  Sessions,
  SvcError,
  shellQuote,
  type TurnEvent,
} from 'svc/sdk'
import { z } from 'zod'
import { type Api, scopeOf } from './api.ts'
import { about, bodyOf, event, eventReply, isId, seconds, wrong } from './envelope.ts'
import { imageReader, readMessages, type Said } from './input.ts'
import { labelOf, shownInput } from './labels.ts'
import { Outcome, tokensOf } from './turns.ts'

const id = z.string().refine(isId, 'has up to 256 letters, digits and ._:@- and is no path')
export const newSessionBody = z.looseObject({
  id: id.nullish(),
  session_id: id.nullish(),
  title: z.string().nullish(),
  system_prompt: z.string().nullish().meta({ description: 'Put behind the core prompt.' }),
})
export const changedSessionBody = z.looseObject({ title: z.string() })
export const forkBody = z.looseObject({ title: z.string().nullish() })
export const sessionChatBody = z.looseObject({
  message: z.unknown().optional().meta({ description: 'What is said: text or parts; `input` does as well.' }),
  system_message: z.string().nullish().meta({ description: 'As system_prompt; `instructions` does as well.' }),
})

const DEFAULT_LIMIT = 50
const MOST = 200

/** GET /api/sessions. */
export async function listSessions({ ctx, store, places }: Api, request: HttpRequest): Promise<HttpReply> {
  const { query } = request
  const limit = countOf(query, 'limit', DEFAULT_LIMIT, MOST)
  const offset = countOf(query, 'offset', 0, Number.MAX_SAFE_INTEGER)
  const source = query.get('source')
  const hasChildren = query.get('include_children') === 'true'
  const meant = { ...(source && { surface: source }), ...(!hasChildren && { branches: false as const }) }
  const isOpen = ({ id: each }: SessionSummary) => places.isOpenTo(each, scopeOf(request))
  // One more than is shown tells whether there are more.
  const page = store.hasOwners()
    ? openOnes((part) => ctx.use(Sessions).list({ ...meant, ...part }), isOpen, offset + limit + 1).slice(offset)
    : ctx.use(Sessions).list({ ...meant, offset, limit: limit + 1 })
  const data = page.slice(0, limit).map((each) => shown(each, store.instructions(each.id) !== undefined))
  return jsonReply({ object: 'list', data, limit, offset, has_more: page.length > limit })
}

/** The first ones that may be seen, this many at most. */
function openOnes(
  list: (part: { readonly offset: number; readonly limit: number }) => readonly SessionSummary[],
  isOpen: (session: SessionSummary) => boolean,
  most: number,
): readonly SessionSummary[] {
  const open: SessionSummary[] = []
  for (let offset = 0; open.length < most; offset += MOST) {
    const part = list({ offset, limit: MOST })
    open.push(...part.filter(isOpen))
    if (part.length < MOST) break
  }
  return open.slice(0, most)
}

function countOf(query: URLSearchParams, name: string, standard: number, most: number): number {
  const text = query.get(name)
  if (text === null) return standard
  if (!/^\d{1,15}$/.test(text)) throw wrong(name, `${name} is a number.`)
  return Math.min(Number(text), most)
}

/** POST /api/sessions. */
export async function createSession(api: Api, request: HttpRequest): Promise<HttpReply> {
  const body = await bodyOf(request, newSessionBody)
  refuseFields(body, ['id', 'session_id', 'title', 'system_prompt'])
  const clock = api.ctx.use(Clock)
  const wanted = body.id ?? body.session_id ?? `api_${seconds(clock.now())}_${api.ctx.use(Random).hex(4)}`
  const scope = scopeOf(request)
  const begun = { system: body.system_prompt ?? '', history: [], scope, ...(body.title && { title: body.title }) }
  if (!api.places.create(wanted, begun))
    throw about('id', new SvcError('API_SESSION_EXISTS', `There is a session "${wanted}" already.`, { status: 409 }))
  // Who is told of it may count on it.
  await api.ctx.use(Sessions).open(wanted).synced()
  return jsonReply(sessionReply(api, wanted), 201)
}

/** GET /api/sessions/{id}. */
export async function readSession(api: Api, request: HttpRequest): Promise<HttpReply> {
  return jsonReply(sessionReply(api, idOf(api, request)))
}

/** PATCH /api/sessions/{id}. */
export async function changeSession(api: Api, request: HttpRequest): Promise<HttpReply> {
  const body = await bodyOf(request, changedSessionBody)
  refuseFields(body, ['title'])
  api.ctx.use(Sessions).rename(idOf(api, request), body.title)
  return jsonReply(sessionReply(api, idOf(api, request)))
}

/** DELETE /api/sessions/{id}. */
export async function removeSession(api: Api, request: HttpRequest): Promise<HttpReply> {
  const { ctx } = api
  const sessionId = idOf(api, request)
  const { backup } = await ctx.use(Sessions).remove([sessionId])
  if (backup) ctx.log.info(`A client removed a conversation. To undo it: svc sessions import ${shellQuote(backup)}`)
  return jsonReply({ object: 'svc.session.deleted', id: sessionId, deleted: true })
}

/** GET /api/sessions/{id}/messages. */
export async function listMessages(api: Api, request: HttpRequest): Promise<HttpReply> {
  const session = api.ctx.use(Sessions).open(idOf(api, request))
  const names = new Map<string, string>()
  const data = session.messages().map((message, at) => messageOf(message, at, session.id, names))
  return jsonReply({ object: 'list', session_id: session.id, data })
}

/** POST /api/sessions/{id}/fork. */
export async function forkSession(api: Api, request: HttpRequest): Promise<HttpReply> {
  const body = request.body.byteLength > 0 ? await bodyOf(request, forkBody) : {}
  refuseFields(body, ['title'])
  const branch = api.places.branch(idOf(api, request))
  if (body.title) api.ctx.use(Sessions).rename(branch, body.title)
  return jsonReply(sessionReply(api, branch), 201)
}

/** POST /api/sessions/{id}/chat. */
export async function chatInSession(api: Api, request: HttpRequest, signal: AbortSignal): Promise<HttpReply> {
  const { events, sessionId } = await beginChat(api, request, signal)
  const outcome = new Outcome()
  for await (const each of events) outcome.take(each)
  const { text, error } = outcome
  if (!text && !outcome.isComplete)
    throw new SvcError('API_AGENT_INCOMPLETE', error?.message ?? 'The turn ended without an answer.', { status: 502 })
  const message = { role: 'assistant', content: text }
  return jsonReply({
    object: 'svc.session.chat.completion',
    session_id: sessionId,
    message,
    usage: tokensOf(outcome.usage),
  })
}

/** POST /api/sessions/{id}/chat/stream. */
export async function streamInSession(api: Api, request: HttpRequest, signal: AbortSignal): Promise<HttpReply> {
  const chat = await beginChat(api, request, signal)
  return eventReply(chatEvents(api, chat), api.ctx.use(Clock), { 'x-svc-session-id': chat.sessionId })
}

interface SessionChat {
  readonly sessionId: string
  readonly said: Said
  readonly events: AsyncIterable<TurnEvent>
}

async function beginChat(api: Api, request: HttpRequest, signal: AbortSignal): Promise<SessionChat> {
  const body = await bodyOf(request, sessionChatBody)
  const content = body.message ?? body['input']
  if (content === undefined || content === null || content === '')
    throw about(
      'message',
      new SvcError('API_MISSING_MESSAGE', 'Nothing was said: message is missing.', { status: 400 }),
    )
  const said = await readMessages([{ role: 'user', content }], 'message', { image: imageReader(undefined, signal) })
  const instructions = body.system_message ?? body['instructions']
  const { text, images } = said
  const begun = await api.turns.begin({ text, images, signal }, () =>
    api.places.open(idOf(api, request), typeof instructions === 'string' ? instructions : '', scopeOf(request)),
  )
  return { ...begun, said }
}

async function* chatEvents({ ctx }: Api, { sessionId, said, events }: SessionChat): AsyncGenerator<string> {
  const [runId, messageId] = [`run_${ctx.use(Random).hex(16)}`, `msg_${ctx.use(Random).hex(14)}`]
  const outcome = new Outcome()
  const mask = (text: string) => ctx.use(Secrets).mask(text)
  let seq = 0
  const tell = (name: string, fields: object) =>
    event({ session_id: sessionId, run_id: runId, seq: seq++, ts: ctx.use(Clock).now() / 1000, ...fields }, { name })
  yield tell('run.started', { user_message: said.text })
  yield tell('message.started', { message: { id: messageId, role: 'assistant' } })
  for await (const each of events) {
    const delta = outcome.take(each)
    if (delta) yield tell('assistant.delta', { message_id: messageId, delta })
    else if (each.type === 'reasoning.delta') yield tell('tool.progress', { tool_name: '_thinking', delta: each.text })
    else if (each.type === 'tool.start')
      yield tell('tool.started', {
        tool_name: each.name,
        preview: labelOf(each.input, mask),
        args: shownInput(each.input, mask),
      })
    else if (each.type === 'tool.complete')
      yield tell(each.ok ? 'tool.completed' : 'tool.failed', {
        tool_name: each.name,
        preview: labelOf(each.text, mask),
      })
  }
  const { text, error, reason, isComplete } = outcome
  const state = { completed: isComplete, partial: !isComplete && text !== '', interrupted: reason === 'interrupted' }
  if (error) yield tell('error', { message: error.message })
  yield tell('assistant.completed', { message_id: messageId, content: text, ...state })
  yield tell('run.completed', { completed: isComplete, usage: tokensOf(outcome.usage) })
  yield tell('done', {})
}

function sessionReply({ ctx, store }: Api, sessionId: string): object {
  const summary = ctx.use(Sessions).summary(sessionId)
  return { object: 'svc.session', session: shown(summary, store.instructions(sessionId) !== undefined) }
}

function shown(summary: SessionSummary, hasInstructions: boolean): object {
  const { usage } = summary
  return {
    id: summary.id,
    source: summary.surface,
    title: summary.title ?? null,
    started_at: seconds(summary.createdAt),
    last_active: seconds(summary.updatedAt),
    message_count: summary.messageCount,
    input_tokens: usage.input ?? 0,
    output_tokens: usage.output ?? 0,
    cache_read_tokens: usage.cachedInput ?? 0,
    cache_write_tokens: usage.cacheWriteInput ?? 0,
    reasoning_tokens: usage.reasoning ?? 0,
    actual_cost_usd: usage.costUsd ?? null,
    parent_session_id: summary.parent ?? null,
    has_system_prompt: hasInstructions,
  }
}

function messageOf(message: Message, at: number, sessionId: string, names: Map<string, string>): object {
  const common = { id: at + 1, session_id: sessionId, role: message.role, content: message.text }
  if (message.role === 'tool')
    return { ...common, tool_call_id: message.callId, tool_name: names.get(message.callId) ?? null }
  if (message.role !== 'assistant') return common
  const calls = message.toolCalls?.map(({ id: callId, name, input }) => {
    names.set(callId, name)
    return { id: callId, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } }
  })
  return { ...common, ...(calls && { tool_calls: calls }), ...(message.reasoning && { reasoning: message.reasoning }) }
}

function refuseFields(body: object, known: readonly string[]): void {
  const strange = Object.keys(body).find((name) => !known.includes(name))
  if (strange === undefined) return
  const text = `${strange} cannot be set; known are ${known.join(', ')}.`
  throw about(strange, new SvcError('API_UNSUPPORTED_SESSION_FIELD', text, { status: 400 }))
}

/** Throws for a session that the holder of this key may not have. */
function idOf({ places }: Api, request: HttpRequest): string {
  const sessionId = request.params['id'] ?? ''
  places.check(sessionId, scopeOf(request))
  return sessionId
}
