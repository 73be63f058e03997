/** Webhook routes for the dashboard: list, add, switch and remove. */
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { z } from 'zod'
import { addRoute, formatRoute, type RouteDeps, removeRoute } from './route-changes.ts'
import type { Route } from './routes.ts'
import { styles } from './signature.ts'

const AUTHOR = 'dashboard'

const subscriptionSchema = z.object({
  name: z.string(),
  url: z.string(),
  style: z.enum(styles),
  events: z.array(z.string()),
  skills: z.array(z.string()),
  prompt: z.string(),
  deliver: z.string(),
  deliver_only: z.boolean(),
  enabled: z.boolean(),
  secret_set: z.boolean(),
  problem: z.string().nullable().meta({ description: 'Why it cannot take anything.' }),
  can_change: z.boolean().meta({ description: 'False for routes of config.yaml.' }),
})
const createSchema = z.object({
  name: z.string().min(1).max(64),
  style: z.enum(styles).default('generic'),
  events: z.array(z.string()).default([]),
  prompt: z.string().max(20_000).default(''),
  skills: z.array(z.string()).default([]),
  deliver: z.string().min(1).default('log'),
  deliver_only: z.boolean().default(false),
  secret: z.string().optional().meta({ description: 'One that the sender has already; left out: a new one.' }),
})

export function dashboardRoutes(deps: RouteDeps): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/webhooks',
      summary: 'Routes on which other services wake the agent, those of config.yaml and the added ones',
      response: z.object({ subscriptions: z.array(subscriptionSchema), styles: z.array(z.enum(styles)) }),
      handle: () => ({
        subscriptions: deps.routes.all().map((route) => toSubscription(deps, route)),
        styles: [...styles],
      }),
    }),
    defineDashboardRoute({
      method: 'POST',
      path: '/api/webhooks',
      summary: 'Adds a route; its secret is in this reply only',
      body: createSchema,
      response: z.object({ ok: z.literal(true), name: z.string(), url: z.string(), secret: z.string() }),
      async handle({ body: { name, secret: given, ...settings } }) {
        const by = { author: AUTHOR, ...(given !== undefined && { secret: given }) }
        const { url, secret } = await addRoute(deps, name, settings, by)
        return { ok: true as const, name, url, secret }
      },
    }),
    defineDashboardRoute({
      method: 'DELETE',
      path: '/api/webhooks/:name',
      summary: 'Removes an added route and its secret',
      response: z.object({ ok: z.literal(true) }),
      async handle({ params }) {
        await removeRoute(deps, params['name'] ?? '', AUTHOR)
        return { ok: true as const }
      },
    }),
    defineDashboardRoute({
      method: 'PUT',
      path: '/api/webhooks/:name/enabled',
      summary: 'Switches an added route on or off',
      body: z.object({ enabled: z.boolean() }),
      response: z.object({ ok: z.literal(true), subscription: subscriptionSchema }),
      handle({ params, body: { enabled } }) {
        const route = deps.routes.setEnabled(params['name'] ?? '', enabled)
        return { ok: true as const, subscription: toSubscription(deps, route) }
      },
    }),
  ]
}

function toSubscription(deps: RouteDeps, route: Route): z.infer<typeof subscriptionSchema> {
  const { name, url, style, events, skills, deliver, deliver_only } = formatRoute(deps, route)
  return {
    ...{ name, url, style, events, skills, deliver, deliver_only },
    prompt: route.prompt,
    enabled: route.enabled,
    secret_set: route.key !== undefined,
    problem: route.problem ?? null,
    can_change: route.origin === 'file',
  }
}
