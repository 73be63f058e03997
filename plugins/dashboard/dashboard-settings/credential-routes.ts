/** Several keys for one provider. Keys are written, and never read back. */
import { type PluginContext, SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { withStatus } from 'svc/sdk/kit/net'
import { type CredentialInfo, Credentials, Providers } from 'svc/sdk/provider'
import { z } from 'zod'
import { STATUSES } from './statuses.ts'

type Context = PluginContext<undefined>

const entrySchema = z.object({
  id: z.string(),
  provider: z.string(),
  label: z.string(),
  auth_type: z.string(),
  source: z.string(),
  status: z.enum(['ok', 'exhausted', 'dead']),
  error: z.string().nullable(),
  reset_at: z.number().nullable(),
  request_count: z.number(),
})

export function credentialRoutes(ctx: Context): readonly DashboardRoute[] {
  const path = '/api/credentials/pool'
  return [
    defineDashboardRoute({
      method: 'GET',
      path,
      summary: 'The keys that are kept for each provider, without the keys themselves',
      response: z.object({ entries: z.array(entrySchema) }),
      handle: () => withStatus(STATUSES, async () => ({ entries: (await find(ctx).list()).map(toEntry) })),
    }),
    defineDashboardRoute({
      method: 'POST',
      path,
      summary: 'Keeps a key for a provider',
      body: z.object({
        provider: z.string().min(1).max(100),
        api_key: z.string().min(1).max(65_536),
        label: z.string().max(200).optional(),
      }),
      response: z.object({ ok: z.literal(true), id: z.string() }),
      handle: ({ body: { provider, api_key: key, label } }) =>
        withStatus(STATUSES, async () => {
          if (!ctx.all(Providers).get(provider))
            throw new SvcError('DASHBOARD_PROVIDER', `There is no provider "${provider}".`, { status: 400 })
          const { id } = await find(ctx).add({ provider, key, ...(label !== undefined && { label }) })
          return { ok: true as const, id }
        }),
    }),
    defineDashboardRoute({
      method: 'DELETE',
      path: `${path}/:provider/:id`,
      summary: 'Takes a key out of the pool; it can be restored within a day',
      response: z.object({ ok: z.literal(true) }),
      handle: ({ params }) =>
        withStatus(STATUSES, async () => {
          await find(ctx).remove(params['provider'] ?? '', [params['id'] ?? ''])
          return { ok: true as const }
        }),
    }),
  ]
}

function toEntry({ id, provider, label, type, source, status, error, resetAt, requests }: CredentialInfo) {
  const entry = { id, provider, label, auth_type: type, source, status, request_count: requests }
  return { ...entry, error: error ?? null, reset_at: resetAt ?? null }
}

function find(ctx: Context): Credentials {
  const credentials = ctx.find(Credentials)
  if (credentials) return credentials
  throw new SvcError('DASHBOARD_CREDENTIALS', 'The plugin that keeps keys does not run.', { status: 503 })
}
