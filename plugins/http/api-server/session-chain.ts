/** What responses and runs share: how their input is read, and which session continues. */
import { Clock, type Message, Random, SvcError } from 'svc/sdk'
import { MediaFiles } from 'svc/sdk/media'
import type { ApiItem, HttpRequest } from 'svc/sdk/web'
import { ApiConversations } from 'svc/sdk/web'
import { z } from 'zod'
import { type Api, readScope } from './api.ts'
import { about, createFieldError, headerId } from './envelope.ts'
import { imageReader, type ParsedInput, type Reading, readHistory, readMessages } from './input.ts'
import type { SessionPosition, StoredResponse } from './store.ts'
import type { Chosen } from './turns.ts'

const name = z.string().min(1).max(256)

/** What both take. */
export const chainBody = z.looseObject({
  model: z.string().optional().meta({ description: 'Echoed; one of `model_routes` chooses another model.' }),
  input: z.union([z.string(), z.array(z.unknown())]).meta({ description: 'What is said: a text or messages.' }),
  instructions: z.string().nullish().meta({ description: 'Put behind the core prompt; left out: those of the chain.' }),
  previous_response_id: z.string().nullish().meta({ description: 'The response that this one continues.' }),
  conversation: z
    .union([name, z.looseObject({ id: name })])
    .nullish()
    .meta({ description: 'The name of a chain: its latest response is continued.' }),
  conversation_history: z.array(z.unknown()).nullish().meta({ description: 'What was said before, in a new chain.' }),
  truncation: z.string().nullish(),
})
export type ChainBody = z.infer<typeof chainBody>

/** Messages of a given history that `truncation: auto` keeps. */
const MAX_HISTORY = 100

/** The name of the chain, if it has one. */
export function chainName({ conversation }: Pick<ChainBody, 'conversation'>): string | undefined {
  return typeof conversation === 'string' ? conversation : conversation?.id
}

/** Throws `API_RESPONSE_NOT_FOUND`. */
export function storedResponse({ ctx, store }: Api, request: HttpRequest, id: string): StoredResponse {
  const found = store.response(readScope(request), id, ctx.use(Clock).now())
  if (!found) throw responseNotFound(id)
  return found
}

export function responseNotFound(id: string): SvcError {
  return new SvcError('API_RESPONSE_NOT_FOUND', `There is no response "${id.slice(0, 100)}".`, { status: 404 })
}

export function createReading({ ctx, store }: Pick<Api, 'ctx' | 'store'>, scope: string, signal: AbortSignal): Reading {
  return { image: imageReader(ctx.find(MediaFiles), signal), itemText: (id) => store.itemText(scope, id) }
}

/** What is said now, and what was said before in this request. */
export async function readConversationInput(
  { ctx, store, places }: Api,
  body: ChainBody,
  scope: string,
  signal: AbortSignal,
): Promise<ParsedInput> {
  if (body.conversation && body.previous_response_id)
    throw createFieldError('conversation', 'A chain is named by conversation or by previous_response_id, not by both.')
  const reading = createReading({ ctx, store }, scope, signal)
  const input = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input
  const said = await readMessages(input, 'input', reading)
  const system = [body.instructions ?? '', said.system].filter(Boolean).join('\n')
  const created = findNamedConversation({ ctx, places }, body, scope)
  if (created && (said.history.length > 0 || !created.place)) {
    const items = created.items().map(withoutGaps)
    const before = items.length > 0 ? await readHistory(items, 'conversation', reading) : []
    return { ...said, system, history: [...before, ...said.history] }
  }
  if (!body.conversation_history?.length) return { ...said, system }
  const before = await readHistory(body.conversation_history, 'conversation_history', reading)
  const history = [...before, ...said.history]
  return { ...said, system, history: body.truncation === 'auto' ? history.slice(-MAX_HISTORY) : history }
}

/** The session of a conversation that a client created; a new one when it was changed since, or more is sent along. */
function continueConversation(
  { ctx, places }: Api,
  { place }: NonNullable<ReturnType<ApiConversations['find']>>,
  { said, scope, conversation }: { said: ParsedInput; scope: string; conversation: string | undefined },
): Chosen {
  const at = place && said.history.length === 0 ? places.at(place) : undefined
  if (at !== undefined) return places.open(at, said.system, scope)
  return { id: places.begin(said, `api-${ctx.use(Random).hex(8)}`, scope, conversation) }
}

/** All that was said in a request, as history: what a window is made of. */
export async function readPastMessages(
  { ctx, store, places }: Api,
  body: Pick<ChainBody, 'conversation'> & { readonly input?: string | readonly unknown[] | null | undefined },
  scope: string,
  signal: AbortSignal,
): Promise<readonly Message[]> {
  const reading = createReading({ ctx, store }, scope, signal)
  const items = findNamedConversation({ ctx, places }, body, scope)?.items().map(withoutGaps) ?? []
  const { input } = body
  const said = typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? [])
  return [
    ...(items.length > 0 ? await readHistory(items, 'conversation', reading) : []),
    ...(said.length > 0 ? await readHistory(said, 'input', reading) : []),
  ]
}

/** Names of this form are given out by the server: others may be chosen by clients. */
const CREATED = /^conv_[0-9a-f]{24,}$/

/** The conversation that a client created, if the request names one; its place is there only while its session is. */
function findNamedConversation(
  { ctx, places }: Pick<Api, 'ctx' | 'places'>,
  body: Pick<ChainBody, 'conversation'>,
  scope: string,
): ReturnType<ApiConversations['find']> {
  const name = chainName(body)
  if (name === undefined) return undefined
  const found = ctx.find(ApiConversations)?.find(name, scope)
  if (!found && CREATED.test(name)) {
    const text = `There is no conversation "${name.slice(0, 100)}".`
    throw about('conversation', new SvcError('API_CONVERSATION_UNKNOWN', text, { status: 404 }))
  }
  return found?.place && !places.has(found.place.sessionId) ? { items: found.items } : found
}

/** Pictures that were too long to be kept a second time. */
function withoutGaps(item: ApiItem): ApiItem {
  const content = item['content']
  if (!Array.isArray(content)) return item
  const isThere = (part: { readonly image_url?: unknown } | null) => part?.image_url !== null
  return { ...item, content: content.filter(isThere) }
}

/** How else a session may be known than by what is stored. */
export interface KnownSessions {
  /** One that the request names itself. */
  readonly named?: string | undefined
  /** Where responses stand that are not stored. */
  readonly unstored?: ((id: string) => SessionPosition | undefined) | undefined
}

/**
 * The session to continue, or a new one. A request that names none but sends the history is matched by its text. Throws
 * `API_PREVIOUS_RESPONSE_NOT_FOUND`.
 */
export function sessionFor(
  api: Api,
  request: HttpRequest,
  body: ChainBody,
  said: ParsedInput,
  { named, unstored }: KnownSessions = {},
): Chosen {
  const { ctx, places, store } = api
  const scope = readScope(request)
  const wanted = named ?? headerId(request, 'x-svc-session-id')
  const conversation = chainName(body)
  const created = findNamedConversation(api, body, scope)
  if (created) return continueConversation(api, created, { said, scope, conversation })
  const before = conversation === undefined ? body.previous_response_id : store.named(scope, conversation)
  const hasGiven = body.conversation_history?.length
  if (!hasGiven && !before && wanted !== undefined) return places.openOrBegin(wanted, said, scope)
  if (!hasGiven && !before && conversation === undefined && said.history.length > 0) return places.forWords(said, scope)
  if (hasGiven || !before) return { id: places.begin(said, `api-${ctx.use(Random).hex(8)}`, scope, conversation) }
  const place = unstored?.(before) ?? store.response(scope, before, ctx.use(Clock).now())
  if (place?.seq === 0)
    throw createFieldError('previous_response_id', 'The response that this one continues is not finished.')
  const id = place && places.at(place)
  if (id === undefined) throw previousNotFound(before)
  return places.open(id, said.system, scope)
}

/** In the words of the public API, by which clients know that they have to send the whole history. */
function previousNotFound(id: string): SvcError {
  const text = `Previous response with id '${id.slice(0, 100)}' not found.`
  return about('previous_response_id', new SvcError('API_PREVIOUS_RESPONSE_NOT_FOUND', text, { status: 400 }))
}
