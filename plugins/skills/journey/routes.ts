/** The journey for the dashboard: the graph, and single entries of it. */
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'
import { editEntry, findEntry, findSource, type JourneyDeps, listEntries, removeEntry } from './entries.ts'
import { buildGraph } from './graph.ts'

const MAX_CONTENT = 100_000

const id = z.string().min(1).max(300).meta({ description: 'As the graph names it.' })
const edgeSchema = z.object({ from: z.string(), to: z.string(), kind: z.enum(['related', 'mentions', 'learned']) })
const nodeSchema = z.object({
  ...{ id: z.string(), title: z.string() },
  kind: z.string().meta({ description: '`session`, or the kind of its source: `skill`, `memory`.' }),
  at: z.number().nullable().meta({ description: 'When it was learned, in milliseconds.' }),
  learned: z
    .boolean()
    .meta({ description: 'Whether it was learned here; false for what came with svc or was installed.' }),
  ...{ can_edit: z.boolean(), can_remove: z.boolean() },
})
const done = z.object({ ok: z.literal(true), id: z.string() })

export function learningRoutes(deps: JourneyDeps): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/learning/graph',
      summary: 'Skills and memories with their sessions, and what links them',
      response: z.object({ nodes: z.array(nodeSchema), edges: z.array(edgeSchema) }),
      async handle({ signal }) {
        const { entries, sessions, edges } = buildGraph(await listEntries(deps, signal), deps.sessionTitle)
        const fixed = { kind: 'session', at: null, learned: false, can_edit: false, can_remove: false }
        return {
          nodes: [...entries.map(toNode), ...sessions.map((session) => ({ ...session, ...fixed }))],
          edges: edges.map((edge) => ({ ...edge })),
        }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/learning/node',
      summary: 'An entry with its content, as it is edited',
      query: z.object({ id }),
      response: z.object({ ...nodeSchema.shape, content: z.string() }),
      async handle({ query, signal }) {
        const entry = await findEntry(deps, query.id, signal)
        const { source, own } = findSource(deps, query.id)
        return { ...toNode(entry), content: await source.read(own, signal) }
      },
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/learning/node',
      summary: 'Changes the content of an entry; a memory has another id then',
      body: z.strictObject({
        ...{ id, content: z.string().min(1).max(MAX_CONTENT) },
        before: z.string().max(MAX_CONTENT).optional().meta({
          description: 'The content that was edited; where it is another one by now, nothing is changed.',
        }),
      }),
      response: done,
      async handle({ body, signal }) {
        const { before, content: after } = body
        const change = { after, signal, ...(before !== undefined && { before }) }
        return { ok: true as const, id: await editEntry(deps, body.id, change) }
      },
    }),
    defineDashboardRoute({
      method: 'DELETE',
      path: '/api/learning/node',
      summary: 'Archives a skill, forgets a memory; POST /api/learning/node/restore brings it back',
      body: z.strictObject({ id }),
      response: done,
      async handle({ body, signal }) {
        await removeEntry(deps, body.id, signal)
        return { ok: true as const, id: body.id }
      },
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/learning/node/restore',
      summary: 'Brings back an entry that was removed',
      body: z.strictObject({ id }),
      response: done,
      async handle({ body, signal }) {
        const { source, own } = findSource(deps, body.id)
        await source.restore(own, signal)
        return { ok: true as const, id: body.id }
      },
    }),
  ]
}

function toNode(entry: Awaited<ReturnType<typeof findEntry>>): z.infer<typeof nodeSchema> {
  const { id, title, kind, at, isBrought, canEdit, canRemove } = entry
  return { id, title, kind, at: at ?? null, learned: !isBrought, can_edit: canEdit, can_remove: canRemove }
}
