/** The branches of a session as a tree. */
import { type PluginContext, type SessionSummary, Sessions } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { requireService } from 'svc/sdk/kit/net'
import { SessionTrees } from 'svc/sdk/sessions'
import { z } from 'zod'
import { type ArchivedIds, describeSessions } from './read-routes.ts'
import { sessionSchema } from './wire.ts'

const rowSchema = z.object({
  session: sessionSchema,
  depth: z.number().meta({ description: 'How far below the root, which has 0.' }),
  branched_at: z.number().nullable().meta({ description: 'How many messages it shares with what it branched off.' }),
  label: z
    .object({ text: z.string(), at: z.number() })
    .nullable()
    .meta({ description: 'The row is a labelled message of the session, counted from 1; null: it is the session.' }),
})

export function treeRoutes(ctx: PluginContext<undefined>, archived: ArchivedIds): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/sessions/:id/latest-descendant',
      summary:
        'The newest branch below a session: from branch to branch that which was used last, or the session itself',
      response: z.object({
        requested_session_id: z.string(),
        session_id: z.string(),
        path: z.array(z.string()),
        changed: z.boolean(),
      }),
      handle({ params }) {
        const id = params['id'] ?? ''
        const path = findLatest(ctx.use(Sessions).family(id), id)
        const last = path.at(-1) ?? id
        return { requested_session_id: id, session_id: last, path, changed: last !== id }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/sessions/:id/tree',
      summary: 'The tree of branches that a session belongs to, from top to bottom, with labelled messages',
      response: z.object({ rows: z.array(rowSchema) }),
      async handle({ params }) {
        const trees = requireService(await ctx.use(Plugins).bring(SessionTrees), SessionTrees.id)
        const rows = trees.rows(params['id'] ?? '')
        const sessions = rows.filter(({ label }) => label === undefined).map(({ session }) => session)
        const described = new Map(describeSessions(ctx, archived, sessions).map((each) => [each.id, each]))
        const depths = measure(sessions)
        return {
          rows: rows.map(({ session, label }) => ({
            session: described.get(session.id) as z.infer<typeof sessionSchema>,
            depth: (depths.get(session.id) ?? 0) + (label ? 1 : 0),
            branched_at: session.branchedAt ?? null,
            label: label ? { ...label } : null,
          })),
        }
      },
    }),
  ]
}

/** Ids from the session down to the branch without branches. */
function findLatest(family: readonly SessionSummary[], id: string): string[] {
  const path = [id]
  for (;;) {
    const branches = family.filter(({ parent }) => parent === path.at(-1))
    const next = branches.toSorted((one, two) => two.updatedAt - one.updatedAt)[0]
    if (!next || path.includes(next.id)) return path
    path.push(next.id)
  }
}

/** Parents come before their branches. */
function measure(sessions: readonly SessionSummary[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>()
  for (const { id, parent } of sessions) depths.set(id, 1 + (depths.get(parent ?? '') ?? -1))
  return depths
}
