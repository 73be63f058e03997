/** The curator for the dashboard: how it is, and whether it makes passes. A pass now is an action: `POST /api/curator/run`. */
import { SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'
import type { CuratorCli } from './cli.ts'

const curatorSchema = z.object({
  enabled: z.boolean(),
  paused: z.boolean(),
  interval_hours: z.number(),
  min_idle_hours: z.number(),
  stale_after_days: z.number(),
  archive_after_days: z.number(),
  last_run_at: z.number().nullable(),
  runs: z.number(),
  pinned: z.array(z.string()),
  proposals: z.array(
    z.object({
      id: z.number(),
      kind: z.enum(['retire', 'merge']),
      skill: z.string(),
      into: z.string().nullable(),
      reason: z.string(),
      by_model: z.boolean(),
    }),
  ),
  archived: z.array(z.object({ name: z.string(), at: z.number() })),
})

export function curatorRoutes(open: () => Promise<CuratorCli>): readonly DashboardRoute[] {
  const describe = async () => describeCurator(await open())
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/curator',
      summary: 'What looks after the skills that the agent wrote: its passes, its proposals, its archive',
      response: curatorSchema,
      handle: describe,
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/curator/paused',
      summary: 'Makes no passes, or makes them again',
      body: z.strictObject({ paused: z.boolean() }),
      response: curatorSchema,
      async handle({ body: { paused } }) {
        await (await open()).curator.pause(paused)
        return describe()
      },
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/curator/proposals/:id',
      summary: 'Does what a proposal says; the archive and the edits of skills take it back',
      body: z.strictObject({}),
      response: curatorSchema,
      async handle({ params }) {
        const id = Number(params['id'])
        const { curator, state } = await open()
        if (!state().proposals.some((each) => each.id === id))
          throw new SvcError('SKILL_NOT_FOUND', 'There is no such proposal any more.', { status: 404 })
        await curator.accept(id)
        return describe()
      },
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/curator/archive/:name/restore',
      summary: 'Brings a skill back from the archive',
      body: z.strictObject({}),
      response: z.object({ ok: z.literal(true), folder: z.string() }),
      async handle({ params }) {
        const name = params['name'] ?? ''
        const { curator } = await open()
        if (!(await curator.listArchived()).some((each) => each.name === name))
          throw new SvcError('SKILL_NOT_FOUND', 'No skill of this name is in the archive.', { status: 404 })
        return { ok: true as const, folder: await curator.restore(name) }
      },
    }),
  ]
}

async function describeCurator({ curator, state, config }: CuratorCli): Promise<z.infer<typeof curatorSchema>> {
  const { lastRunAt, runs, isPaused, pinned, proposals } = state()
  const { enabled, interval_hours, min_idle_hours, stale_after_days, archive_after_days } = config
  const archived = await curator.listArchived()
  return {
    ...{ enabled, interval_hours, min_idle_hours, stale_after_days, archive_after_days, runs, pinned: [...pinned] },
    paused: isPaused,
    last_run_at: runs > 0 ? lastRunAt : null,
    proposals: proposals.map(({ id, kind, skill, into, reason, author }) => ({
      ...{ id, kind, skill, reason, into: into ?? null, by_model: author === 'model' },
    })),
    archived: archived.map(({ name, at }) => ({ name, at })),
  }
}
