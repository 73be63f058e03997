/** Log files: the newest entries that pass a filter. */
import { type PluginContext, Secrets } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { requireService, withStatus } from 'svc/sdk/kit/net'
import { LOG_LEVELS, Logs } from 'svc/sdk/operations'
import { z } from 'zod'
import { STATUSES } from './statuses.ts'

const entrySchema = z.object({
  at: z.number().nullable(),
  level: z.string().nullable(),
  plugin: z.string().nullable(),
  message: z.string(),
  fields: z.record(z.string(), z.unknown()),
})

export function logRoutes(ctx: PluginContext<undefined>): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/logs',
      summary: 'The newest entries of a log file that pass the filter, oldest first',
      query: z.object({
        file: z.string().optional(),
        lines: z.coerce.number().int().min(1).max(2000).default(200),
        level: z.enum(LOG_LEVELS).optional(),
        plugin: z.string().optional(),
        session: z.string().optional(),
        since: z.coerce.number().optional(),
        search: z.string().max(200).optional(),
      }),
      response: z.object({ file: z.string(), entries: z.array(entrySchema) }),
      handle: ({ query: { lines, ...given } }) =>
        withStatus(STATUSES, async () => {
          const filter = Object.fromEntries(
            Object.entries(given).filter(([, value]) => value !== undefined && value !== ''),
          )
          const entries = await requireService(await ctx.use(Plugins).bring(Logs), Logs.id).read(filter, lines)
          const mask = (text: string) => ctx.use(Secrets).mask(text)
          return {
            file: given.file ?? 'svc',
            entries: entries.map(({ at, level, plugin, message, fields }) => ({
              at: at ?? null,
              level: level ?? null,
              plugin: plugin ?? null,
              message: mask(message),
              fields: fields ? (JSON.parse(mask(JSON.stringify(fields))) as Record<string, unknown>) : {},
            })),
          }
        }),
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/logs/files',
      summary: 'The log files there are',
      response: z.object({
        files: z.array(
          z.object({ name: z.string(), title: z.string(), size: z.number(), modified_at: z.number().nullable() }),
        ),
      }),
      async handle() {
        const files = requireService(await ctx.use(Plugins).bring(Logs), Logs.id).files()
        return {
          files: files.map(({ name, title, size, modifiedAt }) => ({
            ...{ name, title, size },
            modified_at: modifiedAt ?? null,
          })),
        }
      },
    }),
  ]
}
