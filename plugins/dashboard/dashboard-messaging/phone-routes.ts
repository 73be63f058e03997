/** Setting up a platform whose account a phone has: the page shows a code, and the phone scans it. */
import { SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { ConfigFile, Plugins } from 'svc/sdk/host'
import { z } from 'zod'
import { type PendingLink, PhoneLinks } from './phone-links.ts'
import { type Context, findPlatform, findPlugin, platformSchema } from './platforms.ts'

const statusSchema = z.object({
  status: z.enum(['waiting', 'ready', 'failed']),
  account: z.string().nullable(),
  error: z.string().nullable(),
  expires_at: z.number(),
})
const startedSchema = z.object({
  pairing_id: z.string(),
  qr_payload: z.string().meta({ description: 'What the phone scans. With it the account can be taken over.' }),
  deep_link: z.string(),
  instructions: z.string(),
  expires_at: z.number(),
})
const done = z.object({ ok: z.literal(true) })

export function phoneRoutes(ctx: Context): readonly DashboardRoute[] {
  const links = new PhoneLinks(ctx)
  const find = (params: Readonly<Record<string, string>>) => links.find(params['id'] ?? '', params['pairing'] ?? '')
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/messaging/:id/onboarding',
      summary: 'Whether an account of a platform is linked by a phone, and where the phone scans the code',
      response: z.object({
        available: z.boolean(),
        variable: z.string().nullable(),
        instructions: z.string().nullable(),
      }),
      async handle({ params }) {
        findPlugin(ctx, params['id'] ?? '')
        const found = await links.linking(params['id'] ?? '')
        const { variable = null, instructions = null } = found ?? {}
        return { available: found !== undefined, variable, instructions }
      },
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/messaging/:id/onboarding/start',
      summary: 'Begins to link a platform to the account of a phone; an earlier attempt is ended',
      body: z.object({ env: z.record(z.string(), z.string().max(65_536)).default({}) }),
      response: startedSchema,
      async handle({ params, body }) {
        findPlugin(ctx, params['id'] ?? '')
        const link = await links.start(params['id'] ?? '', body.env)
        const { id: pairing_id, address, instructions, expiresAt: expires_at } = link
        return { pairing_id, qr_payload: address, deep_link: address, instructions, expires_at }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/messaging/:id/onboarding/:pairing',
      summary: 'Whether the phone has scanned the code',
      response: statusSchema,
      handle: async ({ params }) => toStatus(find(params)),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/messaging/:id/onboarding/:pairing/apply',
      summary: 'Writes the account that was linked, and the people who may write to it',
      body: z.object({ allowed_user_ids: z.array(z.string().min(1).max(256)).max(100).default([]) }),
      response: z.object({ ok: z.literal(true), platform: platformSchema }),
      async handle({ params, body }) {
        const link = find(params)
        await apply(ctx, link, body.allowed_user_ids)
        links.remove(link.id)
        return { ok: true as const, platform: await findPlatform(ctx, link.platform) }
      },
    }),
    defineDashboardRoute({
      method: 'DELETE',
      path: '/api/messaging/:id/onboarding/:pairing',
      summary: 'Ends the attempt; the code is not good any more',
      response: done,
      async handle({ params }) {
        links.remove(find(params).id)
        return { ok: true as const }
      },
    }),
  ]
}

function toStatus({ state, account, problem, expiresAt }: PendingLink): z.infer<typeof statusSchema> {
  return { status: state, account: account ?? null, error: problem ?? null, expires_at: expiresAt }
}

/** Throws `DASHBOARD_PHONE_LINK` while the phone is waited for. */
async function apply(ctx: Context, link: PendingLink, allowed: readonly string[]): Promise<void> {
  const { platform, variable, account } = link
  if (account === undefined)
    throw new SvcError('DASHBOARD_PHONE_LINK', 'No phone has scanned the code yet.', { status: 409 })
  const file = ctx.use(ConfigFile)
  const path = `platforms.${platform}.allow_from`
  const { value } = await file.read(path)
  const known = Array.isArray(value) ? value.map(String) : []
  const edits = [
    { path: variable, value: account },
    ...(allowed.length === 0 ? [] : [{ path, value: [...new Set([...known, ...allowed])] }]),
  ]
  await file.write(edits, { author: 'dashboard', reason: `account of the platform ${platform}` })
  await ctx.use(Plugins).applyConfig()
}
