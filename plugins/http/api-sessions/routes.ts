/** The routes: list, begin, look, name, branch, remove. Talking in a session is in `chat.ts`. */
import { Clock, errorCode, type PluginContext, Random, Sessions, SvcError } from 'svc/sdk'
import { checkConversationChange } from 'svc/sdk/sessions'
import { shellQuote } from 'svc/sdk/shell'
import { ApiAgent, type ApiRoute, defineApiRoute, jsonResponse } from 'svc/sdk/web'
import { z } from 'zod'
import { chatBody, chatInSession, streamInSession } from './chat.ts'
import { formatMessages, shownSessions } from './session-format.ts'
import { SessionSettings } from './settings.ts'

type Context = PluginContext<undefined>

const one = '/api/sessions/:id'
const DEFAULT_LIMIT = 50
const MAX_LIMIT = 200
const MAX_NAME = 256

/** It becomes a part of file names, of paths and of lines of logs. */
const id = z
  .string()
  .regex(/^(?!\.$)(?!.*\.\.)[\w.:@-]{1,256}$/, 'has up to 256 letters, digits and ._:@- and is no path')
const newSession = z.looseObject({
  id: id.nullish(),
  session_id: id.nullish(),
  title: z.string().nullish(),
  model: z
    .string()
    .max(MAX_NAME)
    .nullish()
    .meta({ description: 'A model of `model_routes`; another name is only shown.' }),
  system_prompt: z.string().nullish().meta({ description: 'Put behind the core prompt.' }),
})
const changedSession = z
  .looseObject({
    title: z.string().optional(),
    end_reason: z
      .string()
      .max(MAX_NAME)
      .nullish()
      .meta({ description: 'Why it has ended; null: it has not. Talking in it opens it again.' }),
  })
  .refine(({ title, end_reason }) => title !== undefined || end_reason !== undefined, 'sets title or end_reason')
const fork = z.looseObject({
  id: id.nullish().meta({ description: 'The id of the branch; `session_id` does as well.' }),
  session_id: id.nullish(),
  title: z.string().nullish(),
})
const count = z
  .string()
  .regex(/^\d{1,15}$/, 'is a number')
  .transform(Number)
const page = z.looseObject({
  limit: count.default(DEFAULT_LIMIT).meta({ description: `At most ${MAX_LIMIT} (${DEFAULT_LIMIT}).` }),
  offset: count.default(0).meta({ description: 'How many are left out first (0).' }),
  source: z.string().optional().meta({ description: 'Only those of this surface: `api`, `cli`, a platform.' }),
  include_children: z.string().optional().meta({ description: '`true`: branches, too.' }),
})

export function sessionRoutes(ctx: Context): readonly ApiRoute[] {
  return [
    listRoute(ctx),
    createRoute(ctx),
    readRoute(ctx),
    changeRoute(ctx),
    removeRoute(ctx),
    ...createPartRoutes(ctx),
  ]
}

function listRoute(ctx: Context): ApiRoute {
  return defineApiRoute({
    method: 'GET',
    path: '/api/sessions',
    summary: 'Sessions, the one used last first',
    query: page,
    async handle({ query, scope }) {
      const limit = Math.min(query.limit, MAX_LIMIT)
      const { offset, source } = query
      const meant = {
        ...(source && { surface: source }),
        ...(query.include_children !== 'true' && { branches: false as const }),
      }
      // One more than is shown tells whether there are more.
      const found = ctx.use(ApiAgent).sessions({ ...meant, offset, limit: limit + 1 }, scope)
      const data = shownSessions(ctx, found.slice(0, limit))
      return jsonResponse({ object: 'list', data, limit, offset, has_more: found.length > limit })
    },
  })
}

function createRoute(ctx: Context): ApiRoute {
  return defineApiRoute({
    method: 'POST',
    path: '/api/sessions',
    summary: 'Begins a session',
    body: newSession,
    async handle({ body, scope }) {
      refuseFields(body, ['id', 'session_id', 'title', 'system_prompt', 'model'])
      const seconds = Math.floor(ctx.use(Clock).now() / 1000)
      const wanted = body.id ?? body.session_id ?? `api_${seconds}_${ctx.use(Random).hex(4)}`
      const begun = { instructions: body.system_prompt ?? '', scope, ...(body.title && { title: body.title }) }
      if (!ctx.use(ApiAgent).create(wanted, begun)) throw taken(wanted)
      const session = ctx.use(Sessions).open(wanted)
      if (body.model) session.setState(SessionSettings, { model: body.model })
      // Clients may rely on it.
      await session.synced()
      return jsonResponse(createReply(ctx, wanted), 201)
    },
  })
}

function readRoute(ctx: Context): ApiRoute {
  return {
    method: 'GET',
    path: one,
    summary: 'A session',
    handle: async ({ http, scope }) => jsonResponse(createReply(ctx, checkedId(ctx, http, scope))),
  }
}

function changeRoute(ctx: Context): ApiRoute {
  return defineApiRoute({
    method: 'PATCH',
    path: one,
    summary: 'Renames or ends a session',
    body: changedSession,
    async handle({ http, body, scope }) {
      refuseFields(body, ['title', 'end_reason'])
      const sessionId = checkedId(ctx, http, scope)
      if (typeof body.end_reason === 'string') await checkConversationChange(ctx, { reason: 'close', sessionId })
      if (body.title !== undefined) ctx.use(Sessions).rename(sessionId, body.title)
      if (body.end_reason !== undefined) end(ctx, sessionId, body.end_reason ?? undefined)
      return jsonResponse(createReply(ctx, sessionId))
    },
  })
}

function removeRoute(ctx: Context): ApiRoute {
  return {
    method: 'DELETE',
    path: one,
    summary: 'Removes a session',
    async handle({ http, scope }) {
      const sessionId = checkedId(ctx, http, scope)
      const { backup } = await ctx.use(Sessions).remove([sessionId])
      if (backup) ctx.log.info(`A client removed a conversation. To undo it: svc sessions import ${shellQuote(backup)}`)
      return jsonResponse({ object: 'svc.session.deleted', id: sessionId, deleted: true })
    },
  }
}

function createPartRoutes(ctx: Context): ApiRoute[] {
  return [
    {
      method: 'GET',
      path: `${one}/messages`,
      summary: 'What was said in a session',
      async handle({ http, scope }) {
        const session = ctx.use(Sessions).open(checkedId(ctx, http, scope))
        return jsonResponse({ object: 'list', session_id: session.id, data: formatMessages(session) })
      },
    },
    defineApiRoute({
      method: 'POST',
      path: `${one}/fork`,
      summary: 'Begins a branch of a session',
      body: fork,
      async handle({ http, body, scope }) {
        refuseFields(body, ['id', 'session_id', 'title'])
        const sessionId = checkedId(ctx, http, scope)
        const as = body.id ?? body.session_id ?? undefined
        await checkConversationChange(ctx, { reason: 'branch', sessionId })
        const branch = createBranch(ctx, sessionId, as)
        if (body.title) ctx.use(Sessions).rename(branch, body.title)
        end(ctx, branch, undefined)
        end(ctx, sessionId, 'branched')
        return jsonResponse(createReply(ctx, branch), 201)
      },
    }),
    defineApiRoute({
      method: 'POST',
      path: `${one}/chat`,
      summary: 'Says something in a session',
      body: chatBody,
      handle: (request) => chatInSession(ctx, request),
    }),
    defineApiRoute({
      method: 'POST',
      path: `${one}/chat/stream`,
      summary: 'The same, as it happens',
      body: chatBody,
      handle: (request) => streamInSession(ctx, request),
    }),
  ]
}

/** Throws `API_SESSION_EXISTS`. */
function createBranch(ctx: Context, sessionId: string, as: string | undefined): string {
  try {
    return ctx.use(ApiAgent).branch(sessionId, as === undefined ? {} : { as })
  } catch (error) {
    throw as !== undefined && errorCode(error) === 'SESSION_ID_TAKEN' ? taken(as) : error
  }
}

/** Without a reason it has not ended. */
function end(ctx: Context, sessionId: string, endReason: string | undefined): void {
  const session = ctx.use(Sessions).open(sessionId)
  const { model } = session.state(SessionSettings) ?? {}
  const ended = endReason === undefined ? {} : { endReason, endedAt: ctx.use(Clock).now() }
  session.setState(SessionSettings, { ...(model !== undefined && { model }), ...ended })
}

function taken(sessionId: string): SvcError {
  return new SvcError('API_SESSION_EXISTS', `There is a session "${sessionId}" already.`, { status: 409, param: 'id' })
}

function createReply(ctx: Context, sessionId: string): object {
  return { object: 'svc.session', session: shownSessions(ctx, [ctx.use(Sessions).summary(sessionId)])[0] }
}

function checkedId(ctx: Context, { params }: { readonly params: Readonly<Record<string, string>> }, scope: string) {
  const sessionId = params['id'] ?? ''
  ctx.use(ApiAgent).check(sessionId, scope)
  return sessionId
}

function refuseFields(body: object, known: readonly string[]): void {
  const strange = Object.keys(body).find((name) => !known.includes(name))
  if (strange === undefined) return
  const text = `${strange} cannot be set; known are ${known.join(', ')}.`
  throw new SvcError('API_UNSUPPORTED_SESSION_FIELD', text, { status: 400, param: strange })
}
