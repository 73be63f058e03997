/** What a file would change before it is imported. It is read by a process of the target profile, which knows what plugins there take. */
import { rm } from 'node:fs/promises'
import { errorMessage, Home, type PluginContext, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'
import { profileQuery } from './action-routes.ts'
import { givePassphrase } from './backup-routes.ts'
import { describe, MAX_UPLOAD, readForm, writeUpload } from './import-routes.ts'
import { findProfile, readOwnCommand } from './own-command.ts'

type Context = PluginContext<undefined>

/** Of the paths of a large home. */
const MAX_PLAN_BYTES = 8 * 2 ** 20
const planSchema = z.object({
  files: z.number(),
  replaced: z.array(z.string()),
  ignored: z.array(z.string()),
  notes: z.array(z.string()),
})
const previewSchema = z.object({
  kind: z.enum(['backup', 'export']),
  created: z.string().meta({ description: 'ISO 8601.' }),
  program: z.string().meta({ description: 'The version of svc that made it.' }),
  source_profile: z.string().nullable().meta({ description: 'The profile that it is of; null for a whole home.' }),
  encrypted: z.boolean(),
  profile: z.string().meta({ description: 'The profile that it would go into.' }),
  home_in_use: z
    .boolean()
    .meta({ description: 'This dashboard runs in that home, so the import is made in a terminal.' }),
  plan: planSchema.nullable().meta({
    description: 'Paths in the home that it would replace or not take over; null for a backup: it replaces all.',
  }),
})

export function importPreviewRoute(ctx: Context): DashboardRoute {
  return defineDashboardRoute({
    method: 'POST',
    path: '/api/ops/import-preview',
    summary: 'What an export or a backup holds and would replace, for a form as of import-upload; nothing is changed',
    query: profileQuery,
    response: previewSchema,
    maxBytes: MAX_UPLOAD,
    async handle({ query: { profile: asked }, http, signal }) {
      const profile = findProfile(ctx, asked)
      const { file: bytes, passphrase } = await readForm(http.body, http.headers['content-type'])
      const file = await writeUpload(ctx, bytes)
      try {
        const { kind, created, program, isEncrypted, profile: source } = await describe(ctx, file, passphrase)
        const words = kind === 'export' ? ['import', file, '--dry-run', '--json'] : ['backup', 'verify', file]
        const command = { words, profile, ...givePassphrase(ctx, passphrase, kind) }
        const output = await readOwnCommand(ctx, command, { signal, maxBytes: MAX_PLAN_BYTES })
        return {
          ...{ kind, created, program, profile, encrypted: isEncrypted },
          source_profile: source ?? null,
          home_in_use: profile === (ctx.use(Home).profile ?? 'default'),
          plan: kind === 'export' ? planSchema.parse(JSON.parse(output)) : null,
        }
      } catch (cause) {
        signal.throwIfAborted()
        // The person chose a file of another name, on another machine.
        const why = errorMessage(cause).replaceAll(file, 'The file')
        throw new SvcError('DASHBOARD_IMPORT', `${why} Nothing was changed.`, { status: 400, cause })
      } finally {
        await rm(file, { force: true })
      }
    },
  })
}
