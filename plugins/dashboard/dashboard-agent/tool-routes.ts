/** Toolsets and their tools, and switches for them. */
import type { PluginContext } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { ConfigFile, Toolsets } from 'svc/sdk/host'
import { requireService, withStatus } from 'svc/sdk/kit/net'
import { z } from 'zod'
import { STATUSES } from './statuses.ts'

const BY = { author: 'dashboard', reason: 'switched in the dashboard' }
const surface = z
  .string()
  .max(40)
  .optional()
  .meta({ description: 'A front end; left out: `cli`, or all for a change.' })

export function toolRoutes(ctx: PluginContext<undefined>): readonly DashboardRoute[] {
  const find = () => requireService(ctx.find(Toolsets), Toolsets.id)
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/tools/toolsets',
      summary: 'Toolsets with their tools, and why one is off or cannot be offered',
      query: z.object({ surface }),
      response: z.object({
        toolsets: z.array(
          z.object({
            name: z.string(),
            enabled: z.boolean(),
            because: z.string().nullable(),
            tools: z.array(z.object({ name: z.string(), enabled: z.boolean(), missing: z.string().nullable() })),
          }),
        ),
      }),
      handle: ({ query }) => ({
        toolsets: find()
          .list(query.surface ?? 'cli')
          .map(({ name, on, because, tools }) => ({
            name,
            enabled: on,
            because: because ?? null,
            tools: tools.map((tool) => ({ name: tool.name, enabled: tool.on, missing: tool.missing ?? null })),
          })),
      }),
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/tools/toolsets/:name',
      summary: 'Switches a toolset or a tool on or off, everywhere or for one front end',
      body: z.object({ enabled: z.boolean(), surface }),
      response: z.object({ ok: z.literal(true), name: z.string(), enabled: z.boolean() }),
      handle: ({ params, body }) =>
        withStatus(STATUSES, async () => {
          const name = params['name'] ?? ''
          const edits = find().edits([{ name, to: body.enabled ? 'on' : 'off' }], body.surface)
          await ctx.use(ConfigFile).write(edits, BY)
          return { ok: true as const, name, enabled: body.enabled }
        }),
    }),
  ]
}
