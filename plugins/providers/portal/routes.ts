/** The route of the dashboard that shows the subscription. */
import type { PluginContext } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'
import { describePortal, findKey, getChatProvider, listUses } from './portal.ts'

const portal = z.object({
  logged_in: z.boolean(),
  portal_url: z.string(),
  inference_url: z.string(),
  provider: z.string(),
  subscription_url: z.string(),
  account: z.string().nullable(),
  renewed: z.boolean(),
  error: z.string().nullable(),
  /** `subscription`: a sign-in that works serves it; `signed-out`: it is set to the portal, which has no sign-in; else the provider. */
  features: z.array(
    z.object({ label: z.string(), state: z.enum(['subscription', 'signed-out', 'other']), provider: z.string() }),
  ),
})

export function portalRoutes(ctx: PluginContext<undefined>): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/portal',
      summary: 'The subscription to the Nous Portal, and which work runs on it',
      response: portal,
      async handle() {
        const state = describePortal(await findKey(ctx), getChatProvider(ctx))
        const { account, renewed, error, ...rest } = state
        const own = state.logged_in ? ('subscription' as const) : ('signed-out' as const)
        const features = listUses(ctx).map(({ use, provider, on_subscription }) => ({
          ...{ label: use, provider },
          state: on_subscription ? own : ('other' as const),
        }))
        return { ...rest, account: account ?? null, renewed: renewed ?? false, error: error ?? null, features }
      },
    }),
  ]
}
