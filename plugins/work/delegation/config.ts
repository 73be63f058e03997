/** The config block `delegation`. */
import { z } from 'zod'

const cap = (what: string) =>
  z
    .number()
    .min(0)
    .optional()
    .meta({ description: `${what} of one subagent.` })

export const config = z.object({
  max_concurrent_children: z
    .number()
    .int()
    .min(1)
    .optional()
    .meta({ description: 'Subagents that one conversation has at work at a time, and tasks of one call (3).' }),
  max_spawn_depth: z
    .number()
    .int()
    .min(1)
    .default(1)
    .meta({ description: 'Levels of subagents. With 1 none of them begins others; see the role orchestrator.' }),
  orchestrator_enabled: z
    .boolean()
    .default(true)
    .meta({ description: 'Whether a subagent may be an orchestrator, which begins subagents of its own.' }),
  max_iterations: z.number().int().min(1).default(50).meta({ description: 'Model calls of one subagent.' }),
  child_timeout_seconds: z
    .number()
    .min(0)
    .default(0)
    .meta({ description: 'Seconds that one subagent may work; 0: no limit. At least 30 where there is one.' }),
  max_summary_chars: z.number().int().min(0).default(24_000).meta({
    description: 'Characters of the answer of one subagent that the model reads; 0: only its context limits it.',
  }),
  subagent_auto_approve: z.boolean().default(false).meta({
    description: 'Lets subagents do without questions what needs an approval. Otherwise the person is asked.',
  }),
  provider: z.string().default('').meta({ description: 'The model service of subagents; empty: that of the turn.' }),
  model: z.string().default('').meta({ description: 'The model of subagents; empty: that of the turn.' }),
  reasoning_effort: z
    .enum(['', 'none', 'low', 'medium', 'high', 'xhigh'])
    .default('')
    .meta({ description: 'How much subagents reason; empty: as the conversation.' }),
  budget: z
    .object({ usd: cap('US dollars'), tokens: cap('Tokens read and written') })
    .default({})
    .meta({ description: 'The most that one subagent may spend. Its cost also counts for the turn and the session.' }),
})

export type Config = z.infer<typeof config>
