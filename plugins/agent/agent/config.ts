/** The config block `agent`, and the variables that stand in for it. */
import { type PluginContext, Secrets } from 'svc/sdk'
import { z } from 'zod'

const levels = ['none', 'low', 'medium', 'high', 'xhigh'] as const

export const config = z.object({
  max_iterations: z
    .number()
    .int()
    .positive()
    .optional()
    .meta({ description: 'Most model calls in one turn. Default: SVC_MAX_ITERATIONS, else 90.' }),
  max_retries: z
    .number()
    .int()
    .min(0)
    .max(10)
    .default(3)
    .meta({ description: 'Retries of a model call that failed temporarily.' }),
  reasoning_effort: z
    .enum(levels)
    .optional()
    .meta({ description: 'Reasoning effort of the model. Left out: the default of the model.' }),
  reasoning_overrides: z
    .record(z.string(), z.enum(levels).meta({ description: 'The level of one model.' }))
    .default({})
    .meta({ description: 'The same for single models, by their id.' }),
  service_tier: z.enum(['priority', 'fast', 'flex', 'default']).optional().meta({
    description:
      'How services run the calls of turns: `priority` (or `fast`) is faster and costs more, `flex` is slower and costs less. Models without such a tier are asked as usual.',
  }),
  max_parallel_tools: z
    .number()
    .int()
    .positive()
    .max(64)
    .default(8)
    .meta({ description: 'Tools that may run at once.' }),
  max_result_chars: z.number().int().min(1000).default(100_000).meta({
    description: 'Characters of one tool result that the model reads; the middle of a longer one is left out.',
  }),
})
export type Config = z.infer<typeof config>

/** A whole number above zero; undefined when the variable holds none. */
export function countFrom(ctx: Pick<PluginContext<unknown>, 'use'>, name: string): number | undefined {
  const count = Number(ctx.use(Secrets).get(name))
  return Number.isInteger(count) && count > 0 ? count : undefined
}
