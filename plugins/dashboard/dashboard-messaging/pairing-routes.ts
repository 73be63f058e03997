/** People who were let in by a code, and those who wait with one. */
import { SvcError } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { requireService } from 'svc/sdk/kit/net'
import { Access, type PairedUser } from 'svc/sdk/safety'
import { z } from 'zod'
import type { Context } from './platforms.ts'

const personSchema = z.object({
  platform: z.string(),
  user_id: z.string(),
  user_name: z.string().nullable(),
  at: z.number(),
})
const requestSchema = personSchema.extend({ expires_at: z.number() })
const platform = z.string().min(1).max(64)

export function pairingRoutes(ctx: Context): readonly DashboardRoute[] {
  const find = async () => requireService(await ctx.use(Plugins).bring(Access), Access.id)
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/pairing',
      summary: 'People who were let in by a code, and those who wait; codes are not told',
      response: z.object({ pending: z.array(requestSchema), approved: z.array(personSchema) }),
      async handle() {
        const access = await find()
        return {
          pending: access.requests().map((each) => ({ ...toPerson(each), expires_at: each.expiresAt })),
          approved: access.pairings().map(toPerson),
        }
      },
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/pairing/approve',
      summary: 'Lets in who was shown this code; after some wrong ones the platform is locked for a while',
      body: z.object({ platform, code: z.string().trim().min(1).max(64) }),
      response: z.object({ ok: z.literal(true), user: personSchema }),
      handle: async ({ body }) => ({
        ok: true as const,
        user: toPerson((await find()).approve(body.platform.toLowerCase(), body.code)),
      }),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/pairing/revoke',
      summary: 'Does not let a paired person in any more',
      body: z.object({ platform, user_id: z.string().min(1).max(256) }),
      response: z.object({ ok: z.literal(true) }),
      async handle({ body }) {
        if ((await find()).revoke(body.platform.toLowerCase(), body.user_id)) return { ok: true as const }
        const message = `"${body.user_id}" is not paired on ${body.platform}.`
        throw new SvcError('DASHBOARD_PAIRING', message, { status: 404 })
      },
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/pairing/clear-pending',
      summary: 'Withdraws the codes that wait, of one platform or of all',
      body: z.object({ platform: platform.optional() }),
      response: z.object({ ok: z.literal(true), cleared: z.number() }),
      handle: async ({ body }) => ({ ok: true as const, cleared: (await find()).clearRequests(body.platform) }),
    }),
  ]
}

function toPerson({ platform, userId, userName, at }: PairedUser): z.infer<typeof personSchema> {
  return { platform, at, user_id: userId, user_name: userName ?? null }
}
