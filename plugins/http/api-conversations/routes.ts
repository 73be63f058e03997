/** The routes, after the public reference (https://platform.openai.com/docs/api-reference/conversations). */
import { Clock, type PluginContext, Random, SvcError } from 'svc/sdk'
import {
  ApiAgent,
  type ApiItem,
  type ApiRequest,
  type ApiRoute,
  defineApiRoute,
  type HttpResponse,
  jsonResponse,
} from 'svc/sdk/web'
import { z } from 'zod'
import { type ConversationRow, type ConversationStore, MAX_ITEMS } from './store.ts'

type Context = PluginContext<undefined>

const all = '/v1/conversations'
const one = `${all}/:id`
const items = `${one}/items`
/** At a time, as in the public API. */
const MAX_ADDED = 20
const DEFAULT_PAGE = 20
const MAX_PAGE = 100

const metadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= 16, 'has at most 16 pairs')
  .meta({ description: 'At most 16 pairs, of 64 and 512 characters.' })
const someItems = z
  .array(z.unknown())
  .max(MAX_ADDED)
  .meta({ description: `Input items, at most ${MAX_ADDED}.` })
const page = z.looseObject({
  after: z.string().optional().meta({ description: 'The id of the last item of the page before.' }),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
  order: z.enum(['asc', 'desc']).default('desc'),
})

export function conversationRoutes(ctx: Context, store: ConversationStore): readonly ApiRoute[] {
  return [createRoute(ctx, store), readRoute(store), changeRoute(store), removeRoute(store), ...itemRoutes(ctx, store)]
}

function createRoute(ctx: Context, store: ConversationStore): ApiRoute {
  return defineApiRoute({
    method: 'POST',
    path: all,
    summary: 'Creates a conversation',
    body: z.looseObject({ items: someItems.nullish(), metadata: metadata.nullish() }),
    async handle({ body, scope, signal }) {
      const added = await checkedItems(ctx, body.items ?? [], { scope, signal })
      const createdAt = ctx.use(Clock).now()
      const row = { id: `conv_${ctx.use(Random).hex(24)}`, createdAt, metadata: body.metadata ?? {} }
      store.create(row, scope, added)
      return jsonResponse(formatConversation(row))
    },
  })
}

function readRoute(store: ConversationStore): ApiRoute {
  return {
    method: 'GET',
    path: one,
    summary: 'A conversation',
    handle: async (request) => jsonResponse(formatConversation(findConversation(store, request))),
  }
}

function changeRoute(store: ConversationStore): ApiRoute {
  return defineApiRoute({
    method: 'POST',
    path: one,
    summary: 'Changes the metadata of a conversation',
    body: z.looseObject({ metadata: metadata.nullable() }),
    async handle(request) {
      const row = findConversation(store, request)
      const changed = request.body.metadata ?? {}
      store.setMetadata(row.id, changed)
      return jsonResponse(formatConversation({ ...row, metadata: changed }))
    },
  })
}

function removeRoute(store: ConversationStore): ApiRoute {
  return {
    method: 'DELETE',
    path: one,
    summary: 'Removes a conversation; its session stays',
    async handle(request) {
      const { id } = findConversation(store, request)
      store.remove(id)
      return jsonResponse({ id, object: 'conversation.deleted', deleted: true })
    },
  }
}

function itemRoutes(ctx: Context, store: ConversationStore): ApiRoute[] {
  return [
    defineApiRoute({
      method: 'GET',
      path: items,
      summary: 'Items of a conversation',
      query: page,
      handle: async (request) => listItems(store, findConversation(store, request).id, request.query),
    }),
    defineApiRoute({
      method: 'POST',
      path: items,
      summary: 'Adds items to a conversation',
      body: z.looseObject({ items: someItems.min(1) }),
      async handle(request) {
        const { id } = findConversation(store, request)
        const added = await checkedItems(ctx, request.body.items, request)
        if (store.count(id) + added.length > MAX_ITEMS) {
          const text = `The conversation would have more than ${MAX_ITEMS} items.`
          throw new SvcError('API_CONVERSATION_FULL', text, { status: 400, param: 'items' })
        }
        store.add(id, added)
        return jsonResponse(createList(added, added.length))
      },
    }),
    {
      method: 'GET',
      path: `${items}/:item`,
      summary: 'An item of a conversation',
      async handle(request) {
        const { id } = findConversation(store, request)
        return jsonResponse(store.item(id, getItemId(request)) ?? itemMissing(request))
      },
    },
    {
      method: 'DELETE',
      path: `${items}/:item`,
      summary: 'Removes an item from a conversation',
      async handle(request) {
        const row = findConversation(store, request)
        if (!store.removeItem(row.id, getItemId(request))) itemMissing(request)
        return jsonResponse(formatConversation(row))
      },
    },
  ]
}

function listItems(store: ConversationStore, id: string, wanted: z.infer<typeof page>): HttpResponse {
  const { order, limit, after } = wanted
  const data = store.page(id, { order, limit, after })
  if (data) return jsonResponse(createList(data, limit))
  const text = `The conversation has no item "${after?.slice(0, 100)}" behind which a page could begin.`
  throw new SvcError('API_CONVERSATION_ITEM_NOT_FOUND', text, { status: 400, param: 'after' })
}

function createList(found: readonly ApiItem[], limit: number): object {
  const data = found.slice(0, limit)
  const [first, last] = [data[0]?.id ?? null, data.at(-1)?.id ?? null]
  return { object: 'list', data, first_id: first, last_id: last, has_more: found.length > limit }
}

/** As they are kept. Messages are read once, so that a client hears of a mistake now and not with its next response. */
async function checkedItems(
  ctx: Context,
  given: readonly unknown[],
  { scope, signal }: Pick<ApiRequest, 'scope' | 'signal'>,
): Promise<readonly ApiItem[]> {
  const agent = ctx.use(ApiAgent)
  await agent.readHistory(given, 'items', scope, signal)
  return agent.items(given)
}

function formatConversation({ id, createdAt, metadata: pairs }: ConversationRow): object {
  return { id, object: 'conversation', created_at: Math.floor(createdAt / 1000), metadata: pairs }
}

function findConversation(
  store: ConversationStore,
  { http, scope }: Pick<ApiRequest, 'http' | 'scope'>,
): ConversationRow {
  const id = http.params['id'] ?? ''
  const row = store.find(id, scope)
  if (row) return row
  const text = `There is no conversation "${id.slice(0, 100)}".`
  throw new SvcError('API_CONVERSATION_NOT_FOUND', text, { status: 404 })
}

function getItemId({ http }: Pick<ApiRequest, 'http'>): string {
  return http.params['item'] ?? ''
}

function itemMissing(request: Pick<ApiRequest, 'http'>): never {
  const text = `The conversation has no item "${getItemId(request).slice(0, 100)}".`
  throw new SvcError('API_CONVERSATION_ITEM_NOT_FOUND', text, { status: 404 })
}
