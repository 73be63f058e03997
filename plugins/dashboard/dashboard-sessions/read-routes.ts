/** What is stored: lists, hits, messages, exports. */
import { type PluginContext, type SessionSummary, Sessions } from 'svc/sdk'
import { type DashboardRoute, dashboardReply, defineDashboardRoute } from 'svc/sdk/dashboard'
import type { PluginState } from 'svc/sdk/storage'
import { jsonResponse } from 'svc/sdk/web'
import { z } from 'zod'
import { messageSchema, sessionSchema, toMessage, toSession } from './wire.ts'

type Context = PluginContext<undefined>
export type ArchivedIds = PluginState<string[]>

const MAX_LISTED = 500
/** Sessions that are looked at for filters that the store does not have. */
const MAX_LOOKED_AT = 10_000
const MAX_MESSAGES = 2000

const listQuery = z.object({
  limit: z.coerce.number().int().min(1).max(MAX_LISTED).default(20),
  offset: z.coerce.number().int().min(0).default(0),
  min_messages: z.coerce.number().int().min(0).default(0),
  archived: z.enum(['exclude', 'only', 'include']).default('exclude'),
  order: z.enum(['created', 'recent']).default('recent'),
  source: z.string().optional(),
  exclude_sources: z.string().optional().meta({ description: 'With commas between them.' }),
  cwd_prefix: z.string().optional(),
  title: z.string().optional(),
})

const hitSchema = z.object({
  session_id: z.string(),
  title: z.string().nullable(),
  snippet: z.string(),
  role: z.string(),
  source: z.string(),
  at: z.number(),
  message_index: z.number().nullable(),
})

export function readRoutes(ctx: Context, archived: ArchivedIds): readonly DashboardRoute[] {
  return [listRoute(ctx, archived), searchRoute(ctx), statsRoute(ctx, archived), ...sessionRoutes(ctx, archived)]
}

/** Sessions with what the list shows of them. */
export function describeSessions(ctx: Context, archived: ArchivedIds, summaries: readonly SessionSummary[]) {
  const hidden = new Set(archived.get())
  const figures = ctx.use(Sessions).figures(summaries.map(({ id }) => id))
  return summaries.map((summary) => {
    const { begins, toolCalls } = figures.get(summary.id) ?? {}
    return toSession(summary, { isArchived: hidden.has(summary.id), begins, toolCalls })
  })
}

function listRoute(ctx: Context, archived: ArchivedIds): DashboardRoute {
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/sessions',
    summary: 'Stored sessions, the one used last first',
    query: listQuery,
    response: z.object({
      sessions: z.array(sessionSchema),
      total: z.number(),
      limit: z.number(),
      offset: z.number(),
    }),
    handle({ query }) {
      const { limit, offset } = query
      const all = listMatches(ctx, archived, query)
      const sessions = describeSessions(ctx, archived, all.slice(offset, offset + limit))
      return { sessions, total: all.length, limit, offset }
    },
  })
}

function listMatches(ctx: Context, archived: ArchivedIds, query: z.infer<typeof listQuery>): SessionSummary[] {
  const hidden = new Set(archived.get())
  const excluded = new Set(query.exclude_sources?.split(',').map((source) => source.trim()))
  const found = ctx.use(Sessions).list({
    limit: MAX_LOOKED_AT,
    ...(query.source ? { surface: query.source } : {}),
    ...(query.title ? { title: query.title } : {}),
  })
  const matches = found.filter(
    ({ id, surface, cwd, messageCount }) =>
      (query.archived === 'include' || hidden.has(id) === (query.archived === 'only')) &&
      messageCount >= query.min_messages &&
      !excluded.has(surface) &&
      cwd.startsWith(query.cwd_prefix ?? ''),
  )
  return query.order === 'created' ? matches.sort((one, two) => two.createdAt - one.createdAt) : matches
}

function searchRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/sessions/search',
    summary: 'Messages with every word of a query, and the session of that id; matches are between >>> and <<<',
    query: z.object({
      q: z.string().max(1000).default(''),
      limit: z.coerce.number().int().min(1).max(200).default(20),
    }),
    response: z.object({ results: z.array(hitSchema) }),
    handle({ query: { q, limit } }) {
      const sessions = ctx.use(Sessions)
      const source = (id: string) => sessions.summary(id).surface
      const byId = /^[\w.:-]{4,}$/.test(q)
        ? sessions.list({ limit: MAX_LOOKED_AT }).filter(({ id }) => id.startsWith(q))
        : []
      const hits = sessions.search(q, { limit }).map((hit) => ({
        session_id: hit.sessionId,
        title: hit.title ?? null,
        snippet: hit.snippet,
        role: hit.role,
        source: source(hit.sessionId),
        at: hit.at,
        message_index: hit.messageIndex,
      }))
      const named = byId.map(({ id, title, surface, updatedAt }) => ({
        ...{ session_id: id, title: title ?? null, snippet: id, role: 'session', source: surface, at: updatedAt },
        message_index: null,
      }))
      return { results: [...named, ...hits].slice(0, limit) }
    },
  })
}

function statsRoute(ctx: Context, archived: ArchivedIds): DashboardRoute {
  return defineDashboardRoute({
    method: 'GET',
    path: '/api/sessions/stats',
    summary: 'Counts of what is stored',
    response: z.object({
      total: z.number(),
      archived: z.number(),
      messages: z.number(),
      bytes: z.number(),
      by_source: z.record(z.string(), z.number()),
    }),
    handle() {
      const { sessions, messages, bytes, surfaces } = ctx.use(Sessions).stats()
      const by_source = Object.fromEntries(surfaces.map(({ surface, sessions: count }) => [surface, count]))
      return { total: sessions, archived: archived.get().length, messages, bytes, by_source }
    },
  })
}

function sessionRoutes(ctx: Context, archived: ArchivedIds): DashboardRoute[] {
  const one = '/api/sessions/:id'
  const getId = (params: Readonly<Record<string, string>>) => params['id'] ?? ''
  return [
    defineDashboardRoute({
      method: 'GET',
      path: one,
      summary: 'One session',
      response: sessionSchema,
      handle({ params }) {
        const [session] = describeSessions(ctx, archived, [ctx.use(Sessions).summary(getId(params))])
        return session as z.infer<typeof sessionSchema>
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: `${one}/messages`,
      summary: 'Messages of a session as it is read now, oldest first; without an offset the newest ones',
      query: z.object({
        limit: z.coerce.number().int().min(1).max(MAX_MESSAGES).default(500),
        offset: z.coerce.number().int().min(0).optional(),
      }),
      response: z.object({
        session_id: z.string(),
        messages: z.array(messageSchema),
        pagination: z.object({ limit: z.number(), offset: z.number(), returned: z.number(), total: z.number() }),
      }),
      handle({ params, query: { limit, offset } }) {
        const id = getId(params)
        const entries = ctx.use(Sessions).open(id).entries()
        const from = offset ?? Math.max(0, entries.length - limit)
        const messages = entries.slice(from, from + limit).map(({ message, at }) => toMessage(message, at))
        return {
          session_id: id,
          messages,
          pagination: { limit, offset: from, returned: messages.length, total: entries.length },
        }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: `${one}/export`,
      summary: 'All there is of a session, as a file that can be imported',
      isDownload: true,
      handle({ params }) {
        const id = getId(params)
        const archive = ctx.use(Sessions).export(id)
        const name = id.replace(/[^\w.-]/g, '_')
        return dashboardReply(
          jsonResponse(archive, 200, { 'content-disposition': `attachment; filename="session-${name}.json"` }),
        )
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: `${one}/family`,
      summary: 'The session with those it branched off and those that branched off these, the oldest first',
      response: z.object({ sessions: z.array(sessionSchema) }),
      handle: ({ params }) => ({
        sessions: describeSessions(ctx, archived, ctx.use(Sessions).family(getId(params))),
      }),
    }),
  ]
}
