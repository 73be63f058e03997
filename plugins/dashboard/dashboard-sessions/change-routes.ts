/** What changes stored sessions. */
import { Clock, errorCode, errorMessage, logFault, type PluginContext, Sessions, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import type { SessionArchive } from 'svc/sdk/sessions'
import { z } from 'zod'
import { type ArchivedIds, describeSessions } from './read-routes.ts'
import { sessionSchema } from './wire.ts'

type Context = PluginContext<undefined>

const MAX_DELETED = 500
const MAX_LOOKED_AT = 10_000
const MAX_IMPORT = 25 * 2 ** 20
const DAY_MS = 86_400_000

const removedSchema = z.object({ ok: z.literal(true), deleted: z.number() })

export function changeRoutes(ctx: Context, archived: ArchivedIds): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'PATCH',
      path: '/api/sessions/:id',
      summary: 'Renames a session, archives it or brings it back',
      body: z.object({ title: z.string().max(500).optional(), archived: z.boolean().optional() }),
      response: sessionSchema,
      async handle({ params, body: { title, archived: hides } }) {
        const id = params['id'] ?? ''
        const sessions = ctx.use(Sessions)
        if (title === undefined && hides === undefined)
          throw new SvcError('DASHBOARD_SESSION_CHANGE', 'Name a title, or say whether it is archived.', {
            status: 400,
          })
        sessions.summary(id)
        if (title !== undefined) sessions.rename(id, title)
        if (hides !== undefined)
          await archived.update((ids) => [...ids.filter((each) => each !== id), ...(hides ? [id] : [])])
        const [session] = describeSessions(ctx, archived, [sessions.summary(id)])
        return session as z.infer<typeof sessionSchema>
      },
    }),
    defineDashboardRoute({
      method: 'DELETE',
      path: '/api/sessions/:id',
      summary: 'Removes a session; a copy stays for a month. One that is not there is no failure',
      response: z.object({ ok: z.literal(true), already_absent: z.boolean().optional() }),
      async handle({ params }) {
        try {
          await ctx.use(Sessions).remove([params['id'] ?? ''])
        } catch (error) {
          if (errorCode(error) !== 'SESSION_NOT_FOUND') throw error
          return { ok: true as const, already_absent: true }
        }
        return { ok: true as const }
      },
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/sessions/bulk-delete',
      summary: 'Removes sessions; copies stay for a month. Those that are not there are left out',
      body: z.object({ ids: z.array(z.string().min(1)).min(1).max(MAX_DELETED) }),
      response: removedSchema,
      async handle({ body: { ids } }) {
        const sessions = ctx.use(Sessions)
        const known = sessions.figures(ids)
        const { removed } = await sessions.remove(ids.filter((id) => known.has(id)))
        return { ok: true as const, deleted: removed.length }
      },
    }),
    pruneRoute(ctx, archived),
    importRoute(ctx),
    ...emptyRoutes(ctx),
  ]
}

/** Sessions that were opened and never used; those at work are no longer empty. */
function emptyRoutes(ctx: Context): DashboardRoute[] {
  const list = () =>
    ctx
      .use(Sessions)
      .list({ limit: MAX_LOOKED_AT })
      .filter(({ messageCount }) => messageCount === 0)
      .map(({ id }) => id)
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/sessions/empty/count',
      summary: 'How many sessions have no message',
      response: z.object({ count: z.number() }),
      handle: () => ({ count: list().length }),
    }),
    defineDashboardRoute({
      method: 'DELETE',
      path: '/api/sessions/empty',
      summary: 'Removes sessions that have no message, except those that are in use',
      response: removedSchema,
      async handle() {
        let deleted = 0
        for (const id of list().slice(0, MAX_DELETED)) if (await removeUnused(ctx, id)) deleted += 1
        return { ok: true as const, deleted }
      },
    }),
  ]
}

/** False for one whose first turn has begun meanwhile, or that was removed by others. */
async function removeUnused(ctx: Context, id: string): Promise<boolean> {
  try {
    const { removed } = await ctx.use(Sessions).remove([id])
    return removed.length > 0
  } catch (error) {
    if (!['SESSION_IN_USE', 'SESSION_NOT_FOUND'].includes(errorCode(error) ?? '')) throw error
    return false
  }
}

function pruneRoute(ctx: Context, archived: ArchivedIds): DashboardRoute {
  return defineDashboardRoute({
    method: 'POST',
    path: '/api/sessions/prune',
    summary: 'Removes sessions that were not used for some days, except those at work; dry_run only lists them',
    body: z.object({
      older_than_days: z.number().min(0).max(100_000).default(90),
      source: z.string().optional(),
      title_like: z.string().optional(),
      dry_run: z.boolean().default(false),
    }),
    response: z.object({
      ok: z.literal(true),
      removed: z.number(),
      matched: z.number(),
      sessions: z.array(sessionSchema),
    }),
    async handle({ body: { older_than_days: days, source, title_like: title, dry_run: dryRun } }) {
      const usedBefore = ctx.use(Clock).now() - days * DAY_MS
      const filter = { usedBefore, ...(source && { surface: source }), ...(title && { title }) }
      const { removed } = await ctx.use(Sessions).prune(filter, { dryRun })
      return {
        ok: true as const,
        removed: dryRun ? 0 : removed.length,
        matched: removed.length,
        sessions: dryRun ? describeSessions(ctx, archived, removed.slice(0, 100)) : [],
      }
    },
  })
}

/** One archive, or a list of them. */
const importBody = z.union([
  z.looseObject({ session: z.looseObject({ id: z.string() }) }),
  z.array(z.looseObject({ session: z.looseObject({ id: z.string() }) })).max(1000),
])

function importRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'POST',
    path: '/api/sessions/import',
    summary: 'Brings exported sessions back under their own ids; those that are there are skipped',
    maxBytes: MAX_IMPORT,
    body: importBody,
    response: z.object({
      ok: z.boolean(),
      imported: z.number(),
      skipped: z.number(),
      imported_ids: z.array(z.string()),
      skipped_ids: z.array(z.string()),
      errors: z.array(z.string()),
    }),
    handle({ body }) {
      const [imported_ids, skipped_ids, errors]: [string[], string[], string[]] = [[], [], []]
      for (const archive of Array.isArray(body) ? body : [body]) {
        const { id } = archive.session
        try {
          ctx.use(Sessions).import(archive as unknown as SessionArchive)
          imported_ids.push(id)
        } catch (error) {
          if (errorCode(error) === 'SESSION_EXISTS') skipped_ids.push(id)
          else {
            logFault(ctx.log, 'a session could not be imported', error)
            errors.push(`${id}: ${errorMessage(error)}`)
          }
        }
      }
      const ok = errors.length === 0
      if (!ok && imported_ids.length + skipped_ids.length === 0)
        throw new SvcError('DASHBOARD_SESSION_ARCHIVE', errors.join(' ').slice(0, 500), { status: 400 })
      return { ok, imported: imported_ids.length, skipped: skipped_ids.length, imported_ids, skipped_ids, errors }
    },
  })
}
