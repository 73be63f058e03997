/** The config block `goals`. */
import { z } from 'zod'

export const config = z.object({
  max_turns: z
    .number()
    .int()
    .positive()
    .max(1000)
    .default(20)
    .meta({ description: 'Turns after which a goal pauses, until /goal resume.' }),
  max_usd: z.number().positive().optional().meta({
    description: 'US dollars that the conversation may spend on one goal before it pauses. Left out: no cap.',
  }),
})

export type Config = z.infer<typeof config>
