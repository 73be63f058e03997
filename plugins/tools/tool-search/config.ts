/** The config block `tool_search`. */
import { z } from 'zod'

export const config = z.object({
  budget_bytes: z.int().min(0).default(3600).meta({
    description:
      'Bytes of each request that the tools outside of the core may take. Toolsets that do not fit, the largest first, are found by searching.',
  }),
  keep: z.array(z.string().min(1)).default([]).meta({
    description: 'Toolsets or tools that are told to the model in every request, whatever they take.',
  }),
})

export type Config = z.infer<typeof config>
