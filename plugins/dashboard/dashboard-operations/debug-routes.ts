/** The bundle for a bug report, as a file of this machine and as a download. It is sent to no service. */
import { mkdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Clock, Home, type PluginContext, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { keepNewest } from 'svc/sdk/kit/files'
import { z } from 'zod'
import { beginCommand, begunSchema, profileQuery } from './action-routes.ts'
import type { Actions } from './actions.ts'
import { sendStoredFile } from './stored-file.ts'

type Context = PluginContext<undefined>

const KEPT = 5

export function debugRoutes(ctx: Context, actions: Actions): readonly DashboardRoute[] {
  const folder = () => ctx.use(Home).path('cache', 'debug-bundles')
  return [
    defineDashboardRoute({
      method: 'POST',
      path: '/api/ops/debug-share',
      summary:
        'Writes a bundle for a bug report to this machine and sends it to no service; GET /api/actions/debug-share/status follows it',
      query: profileQuery,
      body: z.strictObject({ lines: z.number().int().min(0).max(2000).default(200) }),
      response: z.object({
        ...begunSchema.shape,
        file: z.string(),
        redacted: z.literal(true),
        urls: z.array(z.string()).max(0).meta({ description: 'Always empty: nothing is uploaded.' }),
      }),
      async handle({ query: { profile }, body: { lines } }) {
        actions.requireFree('debug-share')
        await mkdir(folder(), { recursive: true, mode: 0o700 })
        await keepNewest(folder(), KEPT - 1)
        const file = join(folder(), `svc-debug-${ctx.use(Clock).now()}.zip`)
        const words = ['debug', 'share', '--out', file, '--lines', String(lines)]
        const begun = beginCommand(ctx, actions, { name: 'debug-share', words, profile })
        return { ...begun, file, redacted: true as const, urls: [] }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/ops/debug-share/download',
      summary: 'A bundle for a bug report as a download',
      isDownload: true,
      query: z.object({ file: z.string().min(1).max(4096) }),
      async handle({ query: { file } }) {
        const path = join(folder(), basename(file))
        if (dirname(file) !== '.' && file !== path)
          throw new SvcError('DASHBOARD_BACKUP_PLACE', `Only bundles of ${folder()} are sent.`, { status: 403 })
        return sendStoredFile(path)
      },
    }),
  ]
}
