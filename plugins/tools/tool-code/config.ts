/** The config block `code_execution`. */
import { z } from 'zod'

export const config = z.object({
  timeout: z
    .number()
    .positive()
    .max(3600)
    .default(300)
    .meta({ description: 'Seconds a script may take; the time that its tools take does not count.' }),
  max_calls: z.int().min(0).max(1000).default(50).meta({ description: 'Most tool calls of one script.' }),
})

export type Config = z.infer<typeof config>
