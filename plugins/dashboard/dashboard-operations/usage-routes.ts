/** What model calls took. */
import { Clock, type PluginContext } from 'svc/sdk'
import { type DashboardRoute, defineDashboardRoute } from 'svc/sdk/dashboard'
import { requireService } from 'svc/sdk/kit/net'
import { Budgets, type UsageSummary } from 'svc/sdk/safety'
import { z } from 'zod'

const DAY_MS = 86_400_000

const groupSchema = z.object({
  name: z.string(),
  calls: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_tokens: z.number(),
  reasoning_tokens: z.number(),
  cost_usd: z.number().nullable(),
  unpriced_calls: z.number(),
})
const groups = z.array(groupSchema)

export function usageRoutes(ctx: PluginContext<undefined>): readonly DashboardRoute[] {
  return [
    defineDashboardRoute({
      method: 'GET',
      path: '/api/analytics/usage',
      summary:
        'What model calls took: by day, model, provider, session and purpose; unknown prices are never shown as zero',
      query: z.object({ days: z.coerce.number().int().min(1).max(3650).default(30) }),
      response: z.object({
        period_days: z.number(),
        daily: groups,
        by_model: groups,
        by_provider: groups,
        by_session: groups,
        by_purpose: groups,
        totals: groupSchema,
      }),
      handle({ query: { days } }) {
        const budgets = requireService(ctx.find(Budgets), Budgets.id)
        const since = ctx.use(Clock).now() - days * DAY_MS
        const by = (column: Parameters<Budgets['summarize']>[0]) => budgets.summarize(column, since).map(toGroup)
        const daily = by('day').sort((one, two) => (one.name < two.name ? -1 : 1))
        return {
          period_days: days,
          daily,
          by_model: by('model'),
          by_provider: by('provider'),
          by_session: by('session').slice(0, 100),
          by_purpose: by('purpose'),
          totals: daily.reduce(add, toGroup({ name: 'total', calls: 0, unsettled: 0 })),
        }
      },
    }),
    defineDashboardRoute({
      method: 'GET',
      path: '/api/analytics/models',
      summary: 'What each model took, the dearest first; what is known of the models comes from `/api/model/options`',
      query: z.object({ days: z.coerce.number().int().min(1).max(3650).default(30) }),
      response: z.object({
        period_days: z.number(),
        models: z.array(groupSchema.extend({ tokens_per_call: z.number() })),
      }),
      handle({ query: { days } }) {
        const budgets = requireService(ctx.find(Budgets), Budgets.id)
        const since = ctx.use(Clock).now() - days * DAY_MS
        const models = budgets.summarize('model', since).map((summary) => {
          const group = toGroup(summary)
          const tokens = group.input_tokens + group.output_tokens
          return { ...group, tokens_per_call: group.calls === 0 ? 0 : Math.round(tokens / group.calls) }
        })
        return { period_days: days, models }
      },
    }),
  ]
}

type Group = z.infer<typeof groupSchema>

function toGroup(summary: UsageSummary): Group {
  return {
    name: summary.name,
    calls: summary.calls,
    input_tokens: summary.input ?? 0,
    output_tokens: summary.output ?? 0,
    cache_read_tokens: summary.cachedInput ?? 0,
    reasoning_tokens: summary.reasoning ?? 0,
    cost_usd: summary.costUsd ?? null,
    unpriced_calls: summary.unpricedCalls ?? 0,
  }
}

function add(one: Group, two: Group): Group {
  return {
    name: one.name,
    calls: one.calls + two.calls,
    input_tokens: one.input_tokens + two.input_tokens,
    output_tokens: one.output_tokens + two.output_tokens,
    cache_read_tokens: one.cache_read_tokens + two.cache_read_tokens,
    reasoning_tokens: one.reasoning_tokens + two.reasoning_tokens,
    cost_usd: one.cost_usd === null && two.cost_usd === null ? null : (one.cost_usd ?? 0) + (two.cost_usd ?? 0),
    unpriced_calls: one.unpriced_calls + two.unpriced_calls,
  }
}
